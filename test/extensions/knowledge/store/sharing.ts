import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/core/model/ids.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { add, findAll, graphOf, type KnowledgeDatabase, type KnowledgeKind, logOf, say, space } from './fixtures.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Starts a process that updates knowledge; it prints each update that has been acknowledged as durable. */
function writer({ url }: KnowledgeDatabase, name: string, size: number, updates: number) {
  if (!url) throw new TypeError('no URL');
  const args = [child, url, name, String(size), String(updates)];
  const process_: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: process_.stdout ?? process.stdin });
  return { process: process_, lines, over: once(process_, 'exit') };
}

/** Writes updates from this process. */
async function writeHere(knowledge: KnowledgeStore, updates: number, size: number): Promise<void> {
  const name = newId();
  for (let i = 0; i < updates; i += 1) {
    const statements = Array.from({ length: size }, (_, k) => say(name, `update${i}`, k));
    await knowledge.apply(space, statements.map(add), {});
  }
}

/**
 * More than one gateway on one space, at once or one after the other.
 *
 * @param oneProcess whether the database serves one process at a time
 */
export function sharedKnowledge(kind: KnowledgeKind, oneProcess: boolean): void {
  // Processes start here, on machines that may be busy.
  describe('sharing', () => {
    it('a process that is killed in the middle of an update leaves all of it, or nothing', async () => {
      const database = await kind.database();
      const size = 400;
      const { process, lines, over } = writer(database, 'child', size, 1_000_000);
      let acknowledged = -1;
      for await (const line of lines) {
        acknowledged = Number(line);
        // Right into the next one, which has begun by now.
        if (acknowledged === 4) setImmediate(() => process.kill('SIGKILL'));
      }
      await over;
      expect(process.signalCode).toBe('SIGKILL');
      const knowledge = await database.open();
      const statements = await findAll(knowledge);
      expect(statements.length % size).toBe(0);
      expect(statements.length).toBeGreaterThanOrEqual((acknowledged + 1) * size);
      const log = await logOf(knowledge);
      expect(log).toHaveLength(statements.length);
      expect(graphOf(log.map(({ statement }) => statement))).toEqual(graphOf(statements));
      expect(await knowledge.count(space, [{}], 1)).toEqual([{ count: statements.length, exact: true }]);
      await knowledge.apply(space, [add(say('after', 'is', 1))], {});
      expect((await logOf(knowledge)).at(-1)?.position).toBe(statements.length + 1);
    });

    it('readers see a log without gaps while several gateways write', async () => {
      const database = await kind.database();
      const knowledge = await database.open();
      const [updates, size] = [60, 3];
      const writers = oneProcess
        ? [writeHere(await database.open('one'), updates, size), writeHere(await database.open('two'), updates, size)]
        : ['one', 'two'].map((name) => writer(database, name, size, updates).over);
      const total = writers.length * updates * size;
      const seen: number[] = [];
      while (seen.length < total) {
        for (const { position } of await knowledge.changes(space, seen.at(-1) ?? 0, 50)) seen.push(position);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(seen).toEqual(Array.from({ length: total }, (_, i) => i + 1));
      await Promise.all(writers);
      expect(await findAll(knowledge)).toHaveLength(total);
      expect(await knowledge.extent(space)).toEqual({ first: 1, last: total });
    });

    it('two gateways see what the other wrote, and are notified of it', async () => {
      const database = await kind.database();
      const [one, two] = [await database.open('one'), await database.open('two')];
      const notified = new Promise<void>((resolve) => void two.watch(space, resolve));
      await one.apply(space, [add(say('a', 'is', 1))], {});
      await notified;
      expect(await two.changes(space, 0, 10)).toHaveLength(1);
      await two.apply(space, [add(say('a', 'is', 2))], {});
      expect(await findAll(one)).toHaveLength(2);
      expect(await one.apply(space, [add(say('a', 'is', 3))], {}, { expected: 1 })).toBeUndefined();
    });
  });
}
