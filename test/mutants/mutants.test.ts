import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { allAnswers } from './answers.ts';
import { faultOf, getModes, mutantsOf, runAll } from './run.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test('all but a garbled value of an answer arrives, and the value is named', async () => {
  const seed = Number(process.env.TEST_SEED ?? 1);
  const random = randomOf(seed);
  const answers = allAnswers();
  const worlds = answers.flatMap((one) => getModes.map((get) => ({ answers: one, get })));
  const bases = await runAll(worlds);
  const all = worlds.flatMap((world, at) =>
    mutantsOf(world.answers, world.get).map((mutant) => ({ mutant, base: bases[at] })),
  );
  const count = Number(process.env.MUTANTS ?? 2_000);
  const sample =
    count >= all.length ? all : Array.from({ length: count }, () => all[Math.floor(random() * all.length)]);
  const faults: string[] = [];
  for (let from = 0; from < sample.length; from += 500) {
    const some = sample.slice(from, from + 500).filter((one) => one !== undefined);
    const outcomes = await runAll(some.map(({ mutant }) => mutant));
    some.forEach(({ mutant, base }, at) => {
      const fault = faultOf(mutant, base ?? {}, outcomes[at] ?? {});
      const { dialect, binding, name, streams } = mutant.of;
      const where = `${dialect.name} ${binding} ${streams ? 'stream' : 'answer'} "${name}", tasks/get ${mutant.get}`;
      if (fault) faults.push(`${where}: ${mutant.leaf.path.join('.')} ${mutant.garbling.name}: ${fault}`);
    });
  }
  console.log(all.length, sample.length, faults.length);
  expect(faults, `seed ${seed}`).toEqual([]);
}, 600_000);
