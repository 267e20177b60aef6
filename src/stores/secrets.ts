import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/** A random secret that all replicas share. The first call creates it. */
export async function secretOf({ sql }: Database, name: string): Promise<string> {
  await sql
    .insertInto('meta')
    .values({ name, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await sql.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}
