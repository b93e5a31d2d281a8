// The page of `heddle validate silicon`: cycles and warp states beside a card's, launch by launch.
import type {ChartSpec} from '../charts/chart';
import {chart} from '../charts/chart';
import {drawScatter, plotHeight, type Scatter} from '../charts/scatter';
import {
  drawStackedBars,
  stackedBarsHeight,
  type Segment,
  type StackedBar,
  type StackedBars,
} from '../charts/stacked_bars';
import type {PageData, Silicon, SiliconLaunch} from '../data';
import {h, type Child} from '../dom';
import {change, count, plural, share} from '../format';
import type {SectionSpec} from '../section';
import {copyable, facts} from './provenance_view';
import {table, type Column} from './table';

export function siliconMeta(data: PageData, silicon: Silicon): string {
  return [
    plural(programs(silicon).length, 'program'),
    plural(silicon.launches.length, 'launch', 'launches'),
    `Heddle ${data.made.version}`,
    data.made.written,
  ].join(' \u00b7 ');
}

const programs = (silicon: Silicon) => [...new Set(silicon.launches.map(l => l.program))];
const error = (l: SiliconLaunch) => l.cycles.ours / l.cycles.theirs - 1;
const nameOf = (l: SiliconLaunch) => `${l.program} ${l.detail}`;
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

export function siliconSentence({card, accuracy: a}: Silicon): string {
  return (
    `Cycles of ${plural(a.launches, 'launch', 'launches')} are ${share(a.mean)} off in the mean, beside those of an ${card}: ` +
    `half of them no more than ${share(a.median)}, nine of ten no more than ${share(a.p90)}. ` +
    `The correlation of their logarithms is ${a.correlation_of_logarithms.toFixed(4)}.`
  );
}

export function scatterOf(silicon: Silicon): Scatter {
  const groups = programs(silicon);
  return {
    groups,
    points: silicon.launches.map(l => ({
      x: l.cycles.theirs,
      y: l.cycles.ours,
      group: groups.indexOf(l.program),
      tip: [
        nameOf(l),
        `${count(l.cycles.ours)} cycles here`,
        `${count(l.cycles.theirs)} on ${silicon.card}`,
        change(error(l)),
      ],
    })),
    xAxis: `cycles on ${silicon.card}`,
    yAxis: 'cycles here',
    band: 0.2,
  };
}

export function cyclesSpec(silicon: Silicon): ChartSpec {
  const scatter = scatterOf(silicon);
  return {
    name: 'silicon-cycles',
    title: 'Cycles here and on the card',
    note: 'A point is a launch. On the line both are the same; between the dotted lines they differ by less than 20%.',
    draw: (paint, width) => drawScatter(scatter, paint, width),
    height: width => plotHeight(width) + 100,
    rows: () => [
      ['program', 'launch', 'cycles', 'cycles of the card'],
      ...silicon.launches.map(l => [l.program, l.detail, l.cycles.ours, l.cycles.theirs]),
    ],
    savedWidth: 520,
  };
}

interface ProgramStates {
  program: string;
  instructions: number;
  ours: number[];
  theirs: number[];
}

// Launches of a program added up.
export function statesByProgram(silicon: Silicon): ProgramStates[] {
  const add = (of: number[][]) => silicon.states.map((_, s) => sum(of.map(v => v[s]!)));
  return programs(silicon).map(program => {
    const own = silicon.launches.filter(l => l.program === program);
    return {
      program,
      instructions: sum(own.map(l => l.instructions)),
      ours: add(own.map(l => l.states.ours)),
      theirs: add(own.map(l => l.states.theirs)),
    };
  });
}

const leastShown = 0.005; // of the card's

function barOf(silicon: Silicon, p: ProgramStates, used: number[], on: string, cycles: number[]): StackedBar {
  const whole = sum(p.theirs),
    perInstruction = (n: number) => (n / p.instructions).toFixed(2);
  let at = 0;
  const segments: Segment[] = used.flatMap((state, part) => {
    const n = cycles[state]!;
    if (n === 0) return [];
    const from = at;
    at += n / whole;
    const name = silicon.states[state]!;
    const tip = [`${p.program} on ${on}: ${name}`, `${perInstruction(n)} warp cycles per instruction`];
    return [{part, hatched: false, from, until: at, tip}];
  });
  return {name: `${p.program}, ${on}`, total: `${perInstruction(sum(cycles))} cycles`, beside: [], segments};
}

export function stateBars(silicon: Silicon): StackedBars {
  const all = statesByProgram(silicon);
  const most = (s: number) => Math.max(...all.flatMap(p => [p.ours[s]!, p.theirs[s]!].map(n => n / sum(p.theirs))));
  const used = silicon.states
    .map((_, s) => s)
    .filter(s => most(s) >= leastShown)
    .sort((a, b) => most(b) - most(a));
  return {
    parts: used.map((s, i) => ({name: silicon.states[s]!, colour: i})),
    hatched: '',
    columns: [],
    bars: all.flatMap(p => [
      barOf(silicon, p, used, silicon.card, p.theirs),
      barOf(silicon, p, used, 'Heddle', p.ours),
    ]),
    reference: 1,
    axis: 'Warp cycles; 100% are those of the card. Numbers: per instruction that the card executed',
    tick: x => share(x, 0),
  };
}

export function statesSpec(silicon: Silicon): ChartSpec {
  const bars = stateBars(silicon);
  return {
    name: 'silicon-states',
    title: 'What warps wait for',
    note: 'Warp cycles by state, as Nsight Compute names them; the launches of a program together.',
    draw: (paint, width) => drawStackedBars(bars, paint, width),
    height: width => stackedBarsHeight(bars, width),
    rows: () => [
      ['program', 'on', ...silicon.states],
      ...statesByProgram(silicon).flatMap(p => [
        [p.program, silicon.card, ...p.theirs],
        [p.program, 'Heddle', ...p.ours],
      ]),
    ],
  };
}

// The state of a launch that differs most, per warp.
export function largestDifference(silicon: Silicon, l: SiliconLaunch): {state: string; ours: number; theirs: number} {
  const apart = (s: number) => Math.abs(l.states.ours[s]! - l.states.theirs[s]!);
  const s = silicon.states.reduce((best, _, i) => (apart(i) > apart(best) ? i : best), 0);
  const warps = Math.max(1, l.warps);
  return {state: silicon.states[s]!, ours: l.states.ours[s]! / warps, theirs: l.states.theirs[s]! / warps};
}

function launchesSection(silicon: Silicon): Child {
  const number = (name: string, about: string, value: (l: SiliconLaunch) => number) => ({
    name,
    about,
    number: true,
    value,
    show: (l: SiliconLaunch) => count(value(l)),
  });
  const of = (l: SiliconLaunch) => largestDifference(silicon, l);
  const columns: Column<SiliconLaunch>[] = [
    {name: 'program', value: l => l.program},
    {name: 'launch', value: l => l.detail},
    number('cycles', 'Cycles here', l => l.cycles.ours),
    number(silicon.card, 'Cycles of the card', l => l.cycles.theirs),
    {name: 'error', number: true, value: l => Math.abs(error(l)), show: l => change(error(l))},
    {name: 'state', about: 'The state of its warps that differs most', value: l => of(l).state},
    number('in it', 'Cycles per warp in that state, here', l => of(l).ours),
    number('on the card', 'The same on the card', l => of(l).theirs),
  ];
  const rows = [...silicon.launches].sort((a, b) => Math.abs(error(b)) - Math.abs(error(a)));
  return table({id: 'launches', label: 'All launches', columns, rows, page: 60});
}

export function siliconSections(data: PageData, silicon: Silicon): SectionSpec[] {
  const once = () => 'once'; // nothing outside of a section changes it
  return [
    {
      id: 'short',
      title: 'In short',
      signature: once,
      body: () => h('div', {class: 'card'}, h('p', {}, siliconSentence(silicon))),
    },
    {id: 'cycles', title: 'Cycles', signature: once, body: () => chart(cyclesSpec(silicon)).element},
    {
      id: 'states',
      title: 'Where the time goes',
      about: 'A warp is in one state in every cycle: what stands in the way of its next instruction.',
      signature: once,
      body: () => chart(statesSpec(silicon)).element,
    },
    {
      id: 'launches',
      title: 'All launches',
      about: 'The worst first, with the state of their warps that differs most.',
      signature: once,
      body: () => launchesSection(silicon),
    },
    {
      id: 'provenance',
      title: 'Where the numbers come from',
      signature: once,
      body: () =>
        h(
          'div',
          {class: 'card section-body'},
          facts([
            ['This page', copyable(data.made.command, 'copy-page')],
            ['Heddle', `${data.made.version}, source ${data.made.source}`],
            ['Written', data.made.written],
            ['Card', `${silicon.card}; counters by Nsight Compute (docs/validation.md)`],
          ]),
        ),
    },
  ];
}

export function siliconSpecs(silicon: Silicon): ChartSpec[] {
  return [cyclesSpec(silicon), statesSpec(silicon)];
}
