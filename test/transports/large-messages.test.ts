import { afterEach, expect, it, vi } from 'vitest';
import { loopTurns } from '../../src/core/limits/loop-turns.ts';
import { envelope } from '../../src/transports/rpc/envelope.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { RawGrpc } from '../support/raw.ts';
import { post, startConnect } from './connect/support.ts';
import { api, type FakeCore, reply, startGrpc } from './rpc-support.ts';

/** A large message of protobuf is decoded in a turn of the event loop that it waits for, so that others are served before. */

const path = '/lf.a2a.v1.A2AService/SendMessage';
const size = 1_200_000;
const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(size) }] } };
const message = encode(api, 'lf.a2a.v1.SendMessageRequest', request);
const limits = { body: 2 * size };

afterEach(() => void vi.restoreAllMocks());

/** Sends the message, and lets it be decoded once it has asked for its turn. */
async function expectTurn(core: FakeCore, send: () => Promise<unknown>, status: unknown): Promise<void> {
  core.answer = () => ({ value: reply });
  const turn = Promise.withResolvers<void>();
  const takeFor = vi.spyOn(loopTurns, 'takeFor').mockReturnValue(turn.promise);
  const sent = send();
  await vi.waitFor(() => expect(takeFor).toHaveBeenCalledWith(message.length));
  expect(core.calls).toHaveLength(0);
  turn.resolve();
  expect(await sent).toBe(status);
  expect(core.last.request).toEqual(request);
}

it('a large message of protobuf waits for its turn over gRPC', async () => {
  const { core, target } = await startGrpc({ limits });
  const grpc = new RawGrpc(target, { 'grpc.max_send_message_length': -1 });
  await expectTurn(core, async () => (await grpc.send(path, message)).status, 'OK');
});

it.each([
  ['Connect', 'application/proto', message],
  ['gRPC-Web', 'application/grpc-web+proto', envelope(message)],
])('a large message of protobuf waits for its turn over %s', async (_, type, body) => {
  const { core, url } = await startConnect({ limits });
  await expectTurn(core, async () => (await post(url + path, type, body)).status, 200);
});
