// A real Chromium, and pages in it.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import puppeteer, {type Browser, type Page} from 'puppeteer-core';
import type {PageData} from '../../src/data';
import {embedded} from '../data';

const place = '<script type="application/json" id="heddle-data">';
const template = readFileSync(
  join((import.meta as unknown as {dirname: string}).dirname, '..', 'dist', 'report.html'),
  'utf8',
);

export function filled(data: PageData): string {
  return template.replace(`${place}</script>`, () => `${place}${embedded(data)}</script>`);
}

export interface Shown {
  page: Page;
  complaints: string[]; // errors of the console and of scripts, requests that were made
}

export class Chromium {
  readonly folder = mkdtempSync(join(tmpdir(), 'heddle-web-'));
  private browser: Browser | null = null;
  private server: Server | null = null;
  private files = 0;

  async start(): Promise<void> {
    this.browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    this.server?.close();
    rmSync(this.folder, {recursive: true, force: true});
  }

  write(data: PageData): string {
    const file = join(this.folder, `${this.files++}.html`);
    writeFileSync(file, filled(data));
    return `file://${file}`;
  }

  writeEmpty(): string {
    const file = join(this.folder, `${this.files++}.html`);
    writeFileSync(file, template);
    return `file://${file}`;
  }

  async open(url: string, options: {width?: number; height?: number; dark?: boolean} = {}): Promise<Shown> {
    const page = await this.browser!.newPage();
    const complaints: string[] = [];
    page.on('console', m => {
      if (m.type() === 'error' || m.type() === 'warn') complaints.push(m.text());
    });
    page.on('pageerror', e => complaints.push(String((e as Error).message ?? e)));
    page.on('request', r => {
      if (!/^(data|blob):/.test(r.url()) && r.url().split('#')[0] !== url.split('#')[0])
        complaints.push(`request: ${r.url()}`);
    });
    await page.setViewport({width: options.width ?? 1280, height: options.height ?? 900});
    await page.emulateMediaFeatures([
      {name: 'prefers-color-scheme', value: options.dark ? 'dark' : 'light'},
      {name: 'prefers-reduced-motion', value: 'reduce'},
    ]);
    await page.goto(url);
    return {page, complaints};
  }

  show(data: PageData, options: {width?: number; height?: number; dark?: boolean} = {}): Promise<Shown> {
    return this.open(this.write(data), options);
  }

  // Answers /page.html and /data.json with whatever the functions return at that moment.
  serve(html: () => string, json: () => string): Promise<string> {
    this.server = createServer((request, answer) => {
      const path = (request.url ?? '').split('?')[0];
      const text = path === '/page.html' ? html() : path === '/data.json' ? json() : null;
      answer.writeHead(text === null ? 404 : 200, {
        'content-type': path === '/data.json' ? 'application/json' : 'text/html',
      });
      answer.end(text ?? '');
    });
    return new Promise(done =>
      this.server!.listen(0, '127.0.0.1', () => {
        const at = this.server!.address();
        done(`http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}/page.html`);
      }),
    );
  }
}

// Sections are made when they come near the window.
export async function goTo(page: Page, section: string): Promise<void> {
  await page.$eval(`#${section}`, e => e.scrollIntoView());
  await page.waitForSelector(`#${section} .mark`);
}

// Scrolls through the page, so that everything is drawn once.
export async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done, 20)));
    for (let y = 0; y < document.documentElement.scrollHeight; y += 500) {
      scrollTo({top: y, behavior: 'instant' as ScrollBehavior});
      await frame();
    }
    scrollTo({top: 0, behavior: 'instant' as ScrollBehavior});
    await frame();
  });
}
