import assert from 'node:assert/strict';
import {test} from 'node:test';
import {csv} from '../../src/csv';
import {brief, bytes, change, count, inUnit, none, plural, share, si, slug, value} from '../../src/format';

test('counts have separators and a true minus', () => {
  assert.equal(count(1849600), '1,849,600');
  assert.equal(count(-12345), '\u221212,345');
  assert.equal(count(null), none);
});

test('statistics: whole numbers whole, others with four digits', () => {
  assert.equal(value(100948), '100,948');
  assert.equal(value(0.16609477), '0.1661');
  assert.equal(value(717.5929), '717.6');
  assert.equal(value(null), none);
});

test('axis labels are short', () => {
  assert.deepEqual([0, 20000, 1500000, 0.25, -3000].map(brief), ['0', '20k', '1.5M', '0.25', '\u22123k']);
});

test('shares and changes', () => {
  assert.equal(share(0.1959), '19.6%');
  assert.equal(change(0.443), '+44.3%');
  assert.equal(change(-0.4475), '\u221244.8%');
  assert.equal(change(0.0001), '0.0%');
  assert.equal(change(-0.0001), '0.0%');
  assert.equal(change(NaN), none);
});

test('units', () => {
  assert.equal(inUnit(4.6, '%'), '+4.6%');
  assert.equal(inUnit(-0.04, '%'), '0.0%');
  assert.equal(inUnit(2208, 'bits'), '2,208 bits');
  assert.equal(inUnit(null, '%'), none);
  assert.equal(bytes(4392000), '4.39 MB');
  assert.equal(plural(1, 'run'), '1 run');
  assert.equal(plural(6000, 'run'), '6,000 runs');
});

test('SI prefixes, with three digits', () => {
  assert.equal(si(0.00123456, 'J'), '1.23 mJ');
  assert.equal(si(0.00099996, 'J'), '1.00 mJ');
  assert.equal(si(5.04e-7, 'J s'), '504 nJ s');
  assert.equal(si(96.04, 'W'), '96.0 W');
  assert.equal(si(0, 'J'), '0.00 J');
  assert.equal(si(null, 'J'), none);
  assert.equal(si(NaN, 'J'), none);
});

test('file names have no odd characters', () => {
  assert.equal(slug('funnel hotspot, small'), 'funnel-hotspot-small');
  assert.equal(slug('CTAs DB+ICC <script>'), 'ctas-db-icc-script');
  assert.equal(slug('../..'), 'chart');
});

test('CSV quotes what needs it, and no cell is a formula', () => {
  assert.equal(
    csv([
      ['a', 'b'],
      ['x, "y"', 1.5],
      [null, '=SUM(A1)'],
    ]),
    'a,b\r\n"x, ""y""",1.5\r\n,\'=SUM(A1)\r\n',
  );
  assert.equal(csv([[-3, '-4%', '+foo']]), "-3,-4%,'+foo\r\n");
});
