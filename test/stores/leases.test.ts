import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/stores/index.ts';
import { TaskWriter } from '../contract/store-fixtures.ts';
import { query, startPostgres } from '../support/postgres.ts';

/** Milliseconds by which heartbeats are made to seem late. */
const late = 60_000;

afterEach(() => vi.restoreAllMocks());

describe('who was silent because the database was away is not taken for dead', () => {
  it('by a gateway that could not reach it either, until the others have had the time to say that they are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-leases-'));
    const path = join(folder, 'gateway.db');
    const [one, two] = [
      createStore(`sqlite:${path}`, { instance: 'one' }),
      createStore(`sqlite:${path}`, { instance: 'two' }),
    ];
    await one.open();
    await two.open();
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    const database = new DatabaseSync(path);
    const silence = database.prepare('update gateway set heartbeat = heartbeat - ?');
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    now += 6_000;
    for (let waited = 0; waited <= 6_000; waited += 3_000) {
      silence.run(late);
      expect(await two.claimOrphans(10)).toEqual([]);
      now += 3_000;
    }
    silence.run(late);
    expect(await two.claimOrphans(10)).toMatchObject([{ key: writer.key }]);
    database.close();
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true });
  });

  it('by any gateway, right after the server was started', async () => {
    const server = await startPostgres();
    const url = await server.database();
    const [one, two] = [createStore(url, { instance: 'one' }), createStore(url, { instance: 'two' })];
    await one.open();
    const writer = new TaskWriter();
    await one.append(writer.create('TASK_STATE_WORKING'));
    await server.halt();
    await server.resume();
    await query(url, 'update gateway set heartbeat = heartbeat - $1', [late]);
    await two.open();
    expect(await two.claimOrphans(10)).toEqual([]);
    await vi.waitFor(() => one.append(writer.chunk('x')), { timeout: 10_000 });
    await Promise.all([one.close(), two.close()]);
    await server.stop();
  });
});
