import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import { type ProbeOptions, probe } from '../../src/client/probe/index.ts';
import type { ProbeReport } from '../../src/client/probe/report.ts';
import { bodyOf, sendJson, serve } from '../support/peer.ts';

/** Probing in tests, and servers to probe. */

export const way = ({ binding, dialect }: { binding: string; dialect: string }): string => `${binding} ${dialect}`;
export const ways = ({ found }: Pick<ProbeReport, 'found'>): string[] => found.map(way);

/** Why a way does not work. */
export const why = ({ rejected }: ProbeReport, binding: string, dialect: string): string | undefined =>
  rejected.find((one) => one.binding === binding && one.dialect === dialect)?.why;

/** Checks that the report can be printed and that it lists every way once. */
export async function probed(target: string, options?: ProbeOptions): Promise<ProbeReport> {
  const report = await probe(target, options);
  for (const { evidence } of report.found) expect(evidence).toMatch(/of an unknown id: \S/);
  for (const one of report.rejected) expect(one.why).toMatch(/\S/);
  const all = [...report.found, ...report.rejected].map((one) => `${way(one)} ${one.url}`);
  expect(new Set(all).size).toBe(all.length);
  return report;
}

export type Rpc = { readonly method: string; readonly params: unknown; readonly id: unknown };

/** A JSON-RPC server at every path, without a card; what it was asked. */
export async function rpcServer(
  answer: (rpc: Rpc) => object,
  more: (url: string, res: Parameters<RequestListener>[1]) => boolean = () => false,
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const url = await serve(async (req, res) => {
    const body = await bodyOf(req);
    if (more(req.url ?? '', res)) return;
    if (req.method !== 'POST') return void res.writeHead(404).end();
    if (!body.startsWith('{"jsonrpc"')) return void res.writeHead(404).end();
    const rpc = JSON.parse(body) as Rpc;
    seen.push(rpc.method);
    sendJson(res, { jsonrpc: '2.0', id: rpc.id, ...answer(rpc) });
  });
  return { url, seen };
}

export const error = (code: number, message: string): object => ({ error: { code, message } });
export const knowing =
  (...known: string[]): ((rpc: Rpc) => object) =>
  ({ method }) =>
    known.includes(method) ? error(-32001, 'Task not found') : error(-32601, 'Method not found');
