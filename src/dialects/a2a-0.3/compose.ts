import type { Message, Task } from '../../core/model/a2a.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { Codec } from '../kernel/codec.ts';
import type { CardShape, Dialect } from '../kernel/dialect.ts';
import { jsonRpcErrorStatuses } from '../kernel/errors.ts';
import { methodTables } from '../kernel/methods.ts';
import { typesOf } from '../kernel/request.ts';
import type { JsonRpcBinding, JsonRpcError, Method } from '../kernel/wire.ts';
import { streamFraming } from './errors.ts';
import { losses } from './losses.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { read } from './read.ts';
import { endsAtRest, eventCodec } from './stream.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/** A message that stands alone. */
export const messageCodec: Codec<unknown, Message> = {
  decode: (wire) => decodeMessage(read('Message', wire), ''),
  encode: (v1, cx) => encodeMessage(v1, cx, ''),
};

/** A task that stands alone. */
export const taskCodec: Codec<unknown, Task> = {
  decode: (wire) => decodeTask(read('Task', wire)),
  encode: (v1, cx) => encodeTask(v1, cx),
};

/** What A2A 0.3 and its kin are made of. */
export interface Pieces {
  readonly methods: readonly Method[];
  readonly error: Codec<JsonRpcError, A2AError>;
  readonly card: CardShape;
}

/** All that follows from the pieces of a dialect with the messages, tasks and events of A2A 0.3. */
export function dialectOf({ methods, error, card }: Pieces): Omit<Dialect, 'name' | 'versions'> {
  const jsonrpc: JsonRpcBinding = {
    ...methodTables(methods),
    error,
    errorStatuses: jsonRpcErrorStatuses,
    stream: streamFraming(error),
  };
  return {
    // The first is what these generations know; gateways and SDKs of A2A 1.0 read both.
    extensionHeaders: ['X-A2A-Extensions', 'A2A-Extensions'],
    jsonrpc,
    card,
    // As the senders of the official SDKs do it; the schema leaves the body open.
    push: { mediaType: 'application/json', body: 'task' },
    types: typesOf(jsonrpc, card, { message: messageCodec, task: taskCodec, event: eventCodec(endsAtRest) }),
    losses,
  };
}
