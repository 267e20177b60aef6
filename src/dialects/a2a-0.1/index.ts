import type { Message, StreamResponse, Task } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import type { Codec } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { jsonRpcErrorStatuses } from '../kernel/errors.ts';
import { methodTables, typesOf } from '../kernel/methods.ts';
import { card } from './card.ts';
import { claim } from './claim.ts';
import { jsonRpcError, streamError } from './errors.ts';
import { EventReader, EventWriter } from './events.ts';
import { losses } from './losses.ts';
import { decodeMessage, encodeMessage, messagePaths } from './messages.ts';
import { composed, methods } from './methods.ts';
import { read } from './read.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/**
 * Google's A2A 0.1 of April 2025: JSON-RPC, tasks only, ids chosen by the client, artifacts by their place. Written for
 * the clients of its own samples (Python with pydantic, JavaScript), and accepting what its document says besides.
 */

const message: Codec<unknown, Message> = {
  decode: (wire) => decodeMessage(read('Message', wire), newId(), ''),
  encode: (v1, cx) => encodeMessage(v1, cx, messagePaths('')),
};

const task: Codec<unknown, Task> = {
  decode: (wire) => decodeTask(read('Task', wire)),
  encode: encodeTask,
};

/**
 * One event alone; or a list of them where v1 says at once what A2A 0.1 says in several, which stands for what its last
 * event tells.
 */
const event: Codec<unknown, StreamResponse> = {
  decode: (wire) => {
    const reader = new EventReader(isResting);
    const events = (Array.isArray(wire) ? wire : [wire]).flatMap((data: unknown) => reader.decode({ data }));
    const last = events.at(-1);
    if (!last) throw new A2AError('invalidParams', 'There is no such event');
    return last;
  },
  encode: (v1, cx) => {
    const writer = new EventWriter(cx, isResting);
    const events = [...writer.encode(v1, Date.now()), ...writer.end()];
    return events.length === 1 ? events[0] : events;
  },
};

const jsonrpc: NonNullable<Dialect['jsonrpc']> = {
  ...methodTables(methods, composed),
  error: jsonRpcError,
  errorStatuses: jsonRpcErrorStatuses,
  stream: {
    enveloped: true,
    // The JavaScript client reads no event that has any line but `data:`. The Python client's parser hands on a comment,
    // once an id was there, as an event without data, and the client breaks at it.
    withoutIds: true,
    error: streamError,
    // The Python client takes any other answer to a streaming call for a broken connection and drops the error, and the
    // JavaScript client reads nothing but events from one with HTTP 200.
    refusedAsStream: true,
  },
};

export const a2a01: Dialect = {
  name: 'a2a-0.1',
  versions: [],
  callersName: true,
  extensionHeaders: ['A2A-Extensions'],
  jsonrpc,
  card,
  push: { mediaType: 'application/json', body: 'task' },
  types: typesOf(jsonrpc, card, { message, task, event }),
  losses,
  claim,
};
