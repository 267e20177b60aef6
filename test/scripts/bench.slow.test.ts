import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compare } from '../bench/compare.ts';
import { httpRequest } from '../bench/load/http.ts';
import { loadPaced } from '../bench/load/paced.ts';
import { measureRuns, type Part, ratio } from '../bench/part.ts';
import { type Conditions, ResultsFile, readResults } from '../bench/results.ts';
import { measureInTurns } from '../bench/rounds.ts';
import { stagesOf } from '../bench/servers/profile.ts';
import { newFolder } from '../support/folders.ts';
import { paced } from '../support/pace.ts';

const folder = newFolder();

const conditions = (commit: string | undefined): Conditions => ({
  commit,
  node: 'v24',
  settings: { rounds: 1, duration: 1 },
});

/** A part with one figure, and how often it was measured. */
function part(name: string, value: number): Part & { measured: number } {
  const self = {
    name,
    measured: 0,
    async measure() {
      self.measured += 1;
      return { figures: [{ scenario: name, server: 'gateway', 'CPU µs': value }], ratios: [] };
    },
  };
  return self;
}

const failing: Part = { name: 'two', measure: () => Promise.reject(new Error('no dist')) };

it('results of several runs are medians, whose ratios are held against the goal and have a spread', async () => {
  const values = [3, 1, 2];
  const measure: Part['measure'] = async () => {
    const value = values.shift() ?? Number.NaN;
    return {
      figures: [{ scenario: 'one', server: 'gateway', ms: value }],
      ratios: [ratio('over bare', value, '< 3')],
    };
  };
  expect(await measureRuns({ name: 'one', measure }, { rounds: 1, duration: 1, runs: 3 })).toEqual({
    figures: [{ scenario: 'one', server: 'gateway', ms: 2 }],
    ratios: [{ what: 'over bare', measured: 2, wanted: '< 3', met: true, spread: '(1 to 3)' }],
  });
  expect(values).toEqual([]);
  const noGoal = part('two', 1);
  await measureRuns(noGoal, { rounds: 1, duration: 1, runs: 3 });
  expect(noGoal.measured).toBe(1);
});

it('results are in the file after each part, also when a later part fails or only some parts are measured', async () => {
  const path = join(folder, 'deep/kept.json');
  const lines: string[] = [];
  const first = new ResultsFile(path, conditions('a'), (line) => lines.push(line));
  await first.measure([part('one', 1), failing, part('three', 3)], false);
  expect(Object.keys(readResults(path))).toEqual(['one', 'three']);
  expect([...first.failed]).toEqual([['two', 'no dist']]);
  expect(lines).toEqual(expect.arrayContaining(['1/3 one …', '2/3 two …', '  failed: no dist', '3/3 three …']));
  await new ResultsFile(path, conditions('b'), () => undefined).measure([part('three', 4)], false);
  const kept = readResults(path);
  expect(kept.one?.conditions.commit).toBe('a');
  expect(kept.three).toMatchObject({ conditions: { commit: 'b' }, figures: [{ 'CPU µs': 4 }] });
});

it('results of the same commit are not measured again on resume; those of another commit, or of changed files, are', async () => {
  const path = join(folder, 'resumed.json');
  const again = async (commit: string | undefined): Promise<number> => {
    const one = part('one', 1);
    const results = new ResultsFile(path, conditions(commit), () => undefined);
    await results.measure([one], true);
    expect(results.measured.one?.figures).toHaveLength(1);
    return one.measured;
  };
  expect(await again('a')).toBe(1);
  expect(await again('a')).toBe(0);
  expect(await again('b')).toBe(1);
  expect(await again(undefined)).toBe(1);
  expect(await again(undefined)).toBe(1);
});

it('results of a machine that has become half as fast compare as unchanged', async () => {
  const result = (ours: number, theirs: number) => ({
    conditions: conditions('a'),
    at: '',
    seconds: 1,
    figures: [
      { scenario: 's', server: 'gateway', 'CPU µs': ours },
      { scenario: 's', server: 'sdk', 'CPU µs': theirs },
    ],
    ratios: [ratio('sdk over ours', theirs / ours)],
  });
  const changes = compare({ s: result(100, 200) }, { s: result(200, 400), unknown: result(1, 1) });
  expect(changes).toEqual([
    { what: 'sdk over ours', before: 2, now: 2, change: 1 },
    { what: 's, gateway: CPU µs', before: 100, now: 200, change: 1 },
  ]);
});

it('a goal is met at its bound, and one that is strict only below it', () => {
  expect(ratio('a', 1.8, '≤ 1.8').met).toBe(true);
  expect(ratio('a', 1.801, '≤ 1.8').met).toBe(false);
  expect(ratio('a', 0.6, '≥ 0.6').met).toBe(true);
  expect(ratio('a', 5, '< 5').met).toBe(false);
  expect(ratio('a', Number.NaN, '≥ 0.6').met).toBe(false);
});

it('competitors take turns until two rounds of each agree, and in the rounds of which medians are taken', async () => {
  const order: string[] = [];
  const load = (name: string, values: number[]) => async () => {
    order.push(name);
    return { cpu: values.shift() ?? 10 };
  };
  const loads = new Map([
    ['steady', load('a', [9, 9, 9])],
    ['settles', load('b', [50, 40, 30, 20, 20])],
  ]);
  const of = await measureInTurns(loads, { rounds: 2, duration: 60_000 }, 'cpu');
  expect(order.join('')).toBe(`abbaabbaab${'baab'}`);
  expect([of('steady').cpu, of('settles').cpu]).toEqual([10, 10]);
});

it('two equal competitors compare as equal, although each costs more the longer it has rested', async () => {
  let loads = 0;
  const restless = () => {
    let last = 0;
    return async () => {
      loads += 1;
      const rested = loads - last;
      last = loads;
      return { cpu: 10 + rested };
    };
  };
  const competitors = new Map(['now', 'other', 'before'].map((name) => [name, restless()]));
  const of = await measureInTurns(competitors, { rounds: 5, duration: 60_000 }, 'cpu');
  expect(of('now')).toEqual(of('before'));
});

/** Puts ten calls on a server, a millisecond apart. */
async function tenCalls(listener: RequestListener, expect = 'done'): Promise<{ requests: number; firsts: number }> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const request = httpRequest('POST', '/', {}, 'a body');
    const { requests, firsts } = await loadPaced(port, request, { rate: 1_000, duration: 10, expect });
    return { requests, firsts: firsts.length };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('a load at a fixed rate sends the next call although earlier ones wait for their answers', async () => {
  const waiting: (() => void)[] = [];
  const loaded = await tenCalls((_, response) => {
    waiting.push(() => response.end('done'));
    if (waiting.length === 10) for (const answer of waiting) answer();
  });
  expect(loaded).toEqual({ requests: 10, firsts: 0 });
});

it('a load at a fixed rate notes the first event of each stream', async () => {
  const loaded = await tenCalls((_, response) => {
    response.write('data: first\n\n');
    response.end('data: done\n\n');
  });
  expect(loaded).toEqual({ requests: 10, firsts: 10 });
});

it('a load at a fixed rate fails when an answer is an error or another one than expected', async () => {
  await expect(tenCalls((_, response) => response.writeHead(502).end('done'))).rejects.toThrow('not the answer');
  await expect(tenCalls((_, response) => response.end('other'))).rejects.toThrow('not the answer');
});

it('one part runs beside a checkout at a relative path, from start to stop: progress, file and table', {
  timeout: paced(300_000),
}, async () => {
  const out = join(folder, 'run.json');
  const main = fileURLToPath(new URL('../bench/main.ts', import.meta.url));
  // Servers keep their files here, and remove them when they are stopped.
  const temporary = newFolder();
  const child = spawn(
    process.execPath,
    [main, '--only', 'gettask', '--rounds', '1', '--duration', '20', '--before', '.', '--out', out],
    {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary },
      timeout: paced(290_000),
    },
  );
  let table = '';
  let progress = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (table += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (progress += text));
  const [code] = await once(child, 'close');
  expect(code, progress).toBe(0);
  expect(progress).toContain('1/1 GetTask, JSON-RPC …');
  expect(table).toContain('GetTask, JSON-RPC: CPU of the SDK over ours');
  const { figures } = readResults(out)['GetTask, JSON-RPC'] ?? {};
  expect(figures?.map(({ server }) => server)).toEqual(['gateway', 'sdk', 'gateway before']);
  for (const figure of figures ?? []) expect(figure['CPU µs']).toBeGreaterThan(0);
  expect(readdirSync(temporary)).toEqual([]);
  expect(JSON.parse(readFileSync(out, 'utf8')).parts).toBeDefined();
});

it('a profile is added up by stage: idle time is left out, and native functions belong to their callers', () => {
  const frame = (functionName: string, url: string) => ({
    functionName,
    url,
    scriptId: '0',
    lineNumber: 0,
    columnNumber: 0,
  });
  const { stages, functions } = stagesOf({
    nodes: [
      { id: 1, callFrame: frame('(root)', ''), children: [2, 3, 4, 6] },
      { id: 2, callFrame: frame('(idle)', '') },
      { id: 3, callFrame: frame('(garbage collector)', '') },
      { id: 4, callFrame: frame('commit', 'file:///x/src/stores/tasks/append-queue.ts'), children: [5] },
      { id: 5, callFrame: frame('run', '') },
      { id: 6, callFrame: frame('fetch', 'file:///x/node_modules/undici/index.js') },
    ],
    startTime: 0,
    endTime: 100,
    samples: [2, 3, 4, 5, 6, 6],
    timeDeltas: [50, 4, 10, 6, 20, 10],
  });
  expect(stages).toEqual({ 'garbage collection': 4, 'store and SQLite': 16, 'HTTP client of the agent': 30 });
  expect(functions).toMatchObject({ 'commit src/stores/tasks/append-queue.ts:1': 16 });
});
