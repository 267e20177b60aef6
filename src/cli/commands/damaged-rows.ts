import { parseTarget } from '../../client/choose.ts';
import { openPool } from '../../client/connection.ts';
import { credentialHeaders } from '../../client/credentials.ts';
import type { ConnectOptions } from '../../client/index.ts';
import { isObject, type JsonObject, parsedJson } from '../../core/model/json.ts';
import type { Output } from '../output.ts';
import { adminConnection } from '../own-gateway.ts';
import type { TargetOptions } from '../target.ts';

/** Largest response, in bytes. */
const maxAnswer = 1 << 20;
/** Milliseconds to wait for the response. */
const timeout = 5_000;

/**
 * Returns the rows that the gateway at a target cannot read from its store, as table, key and reason. Empty for an
 * agent that is not a gateway, or a caller who may not see them.
 */
export async function damagedRowsAt(target: string, options: TargetOptions, output: Output): Promise<string[][]> {
  try {
    const { connection, target: own = target } = await adminConnection(target, options, output);
    return await readRows(new URL('/readyz', parseTarget(own)), connection);
  } catch {
    // The rows are unknown. The rest of the report does not need them.
    return [];
  }
}

async function readRows(url: URL, options: ConnectOptions): Promise<string[][]> {
  const { http, close } = openPool(url, options);
  try {
    const headers = { ...(await credentialHeaders(options)()), accept: 'application/json' };
    const answer = await http.request({ method: 'GET', url, headers, signal: AbortSignal.timeout(timeout), timeout });
    const body = parsedJson((await answer.read(maxAnswer)).toString());
    const rows = isObject(body) && Array.isArray(body.damagedRows) ? body.damagedRows : [];
    return rows.filter(isObject).map(cellsOf);
  } finally {
    close();
  }
}

const cellsOf = ({ table, key, reason }: JsonObject): string[] => [table, key, reason].map((cell) => String(cell));
