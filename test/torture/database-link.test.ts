import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { query, sharedPostgres } from '../support/postgres.ts';
import { DatabaseLink, type Fate } from './database-link.ts';

let url: string;
let link: DatabaseLink;
beforeAll(async () => {
  url = await (await sharedPostgres()).database();
  link = await DatabaseLink.open(Number(new URL(url).port), () => 0);
  await query(url, 'create table written (what text)');
});
afterAll(() => link?.close());

/** Writes a row over the link; returns the result that the writer saw. */
async function write(what: string, fate: Fate): Promise<'answered' | 'failed' | 'nothing'> {
  const through = new URL(url);
  through.port = String(link.port);
  const client = new pg.Client({ connectionString: through.href });
  client.on('error', () => undefined);
  await client.connect();
  link.fateOf = (statement) => (statement.startsWith('insert into written') ? fate : 'passed');
  try {
    await client.query('select 1');
    const query_timeout = fate === 'swallowed' ? 500 : 20_000;
    const insert = { name: 'write', text: 'insert into written values ($1)', values: [what], query_timeout };
    await client.query(insert);
    return 'answered';
  } catch (error) {
    return /timeout/i.test(String(error)) ? 'nothing' : 'failed';
  } finally {
    client.connection.stream.destroy();
  }
}

const isWritten = async (what: string): Promise<boolean> =>
  (await query(url, 'select 1 from written where what = $1', [what])).length === 1;

it.for([
  ['passed', 'answered', true],
  ['late', 'answered', true],
  ['reset', 'failed', true],
  ['swallowed', 'nothing', true],
  ['unsent', 'failed', false],
] as const)('a write that is %s: its writer has %s, and whether it is written is %s', async ([fate, told, written]) => {
  expect(await write(fate, fate)).toBe(told);
  await expect.poll(() => isWritten(fate)).toBe(written);
  expect(link.fates.get(fate) ?? 0).toBe(fate === 'passed' ? 0 : 1);
});

it('what is said on a link that stands still arrives when it moves again', async () => {
  const held = link.hold(200);
  let over = false;
  void held.then(() => {
    over = true;
  });
  expect(await write('held', 'passed')).toBe('answered');
  expect(over).toBe(true);
  expect(await isWritten('held')).toBe(true);
});
