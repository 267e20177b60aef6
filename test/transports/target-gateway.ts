import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Running, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, RawGrpc, RawHttp } from '../support/raw.ts';

/** A gateway that is sent whatever there is, and what its tests have in common. */

/** Bytes that a body may have. */
export const limit: number = 64 * 1024;

export const v1 = { 'content-type': 'application/json', 'a2a-version': '1.0' } as const;
export const service = '/lf.a2a.v1.A2AService';
export const agentVault = '/as/agentvault-0.2';

/** Parameters of a send of A2A 1.0. */
export const message = (text: string, more: object = {}): object => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});

/** A send of A2A 1.0 over JSON-RPC. */
export const request = (text: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message(text) });

/** The gateway, and clients that send it bytes; there from the first test on. */
export interface TargetGateway {
  readonly gateway: Running;
  readonly http: RawHttp;
  readonly grpc: RawGrpc;
  /** Sends a body to a path that takes JSON-RPC, as a client of A2A 1.0 by default. */
  rpc(body: string | Uint8Array, path?: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
}

/** Starts the gateway for the tests of a file. After each of them it is alive, and no prototype is polluted. */
export function targetGateway(): TargetGateway {
  let parts: Pick<TargetGateway, 'gateway' | 'http' | 'grpc'> | undefined;
  const started = (): Pick<TargetGateway, 'gateway' | 'http' | 'grpc'> =>
    parts ?? expect.fail('there is no gateway yet');
  beforeAll(async () => {
    const gateway = await startGateway({ settings: `limits: { body: ${limit} }` });
    parts = { gateway, http: new RawHttp(gateway.port), grpc: new RawGrpc(gateway.target) };
  });
  afterAll(async () => {
    parts?.http.close();
    parts?.grpc.close();
    await parts?.gateway.close();
  });
  const prototype = Object.getOwnPropertyNames(Object.prototype).sort();
  const rpc: TargetGateway['rpc'] = (body, path = '/', headers = v1) => started().http.send({ path, body, headers });
  afterEach(async () => {
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    // Still alive, and in its right mind.
    const answer = await rpc(request('say alive'));
    expect(JSON.parse(answer.body.toString())).toMatchObject({ result: { message: { parts: [{ text: 'alive' }] } } });
  });
  return {
    get gateway() {
      return started().gateway;
    },
    get http() {
      return started().http;
    },
    get grpc() {
      return started().grpc;
    },
    rpc,
  };
}
