import { createServer } from 'node:http';
import { errorTable } from '../../../src/core/model/errors.ts';
import { A2AError, connect, discover } from '../../../src/index.ts';
import { v1Card } from '../../support/cards.ts';
import { bodyOf, listenOn, sendJson } from '../../support/peer.ts';
import { isMap, NotUnderstood, type Value } from './values.ts';

/** The tests of clients give a payload to the project's own client, `connect`, over a socket. */

/** The object that the client parses from a payload, which a server answers. */
export async function parse(operation: Value, payload: Value): Promise<Value> {
  const server = await servePayload(operation, payload);
  try {
    return await read(operation, server.origin);
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    return { error: { code: errorTable[thrown.kind].jsonrpc, message: thrown.message } };
  } finally {
    await server.close();
  }
}

async function read(operation: Value, origin: string): Promise<Value> {
  if (operation === 'get_agent_card' || operation === 'get_extended_agent_card') return (await discover(origin)).card;
  const client = await connect(origin, { as: 'a2a-1.0', via: 'jsonrpc' });
  try {
    if (operation === 'get_task') return await client.getTask({ id: 'any' });
    if (operation === 'send_message') {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;
      return await client.sendMessage({ message: { ...message, parts: [...message.parts] } });
    }
  } finally {
    await client.close();
  }
  throw new NotUnderstood(`a client's step of ${operation}`);
}

/**
 * A server whose card, or whose answer to every call, is the payload.
 *
 * @param result the answer to every call, where the payload is the card
 * @returns its origin, and the methods that were called
 */
export async function servePayload(operation: Value, payload: Value, result: Value = {}) {
  const calls: string[] = [];
  const isCard = /_card$/.test(String(operation));
  let own = '';
  const server = createServer(async (req, res) => {
    if (req.method === 'GET') return sendJson(res, isCard ? withUrl(payload, own) : v1Card(`${own}/`));
    const { id, method } = JSON.parse(await bodyOf(req));
    calls.push(method);
    sendJson(res, isMap(payload) && !isCard ? { ...payload, id } : { jsonrpc: '2.0', id, result });
  });
  const { origin, close } = await listenOn(server);
  own = origin;
  return { origin, calls, close };
}

/** The card with the interface of this server in place of its own, so that clients can call it. */
const withUrl = (card: Value, url: string): Value =>
  isMap(card) && Array.isArray(card.supportedInterfaces)
    ? {
        ...card,
        supportedInterfaces: [{ url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      }
    : card;
