import type { A2AError } from '../../core/model/errors.ts';
import { losses } from '../../gen/dialects/a2a-0.3.ts';
import { losses as cardLosses } from '../../gen/dialects/a2a-0.3-card.ts';
import type { Codec } from '../kernel/codec.ts';
import type { CardShape, Dialect } from '../kernel/dialect.ts';
import { errorCodec, errorFrames, jsonRpcErrorStatuses } from '../kernel/errors.ts';
import { atRoot, methodTables, readAs, typesOf } from '../kernel/methods.ts';
import type { JsonRpcBinding, JsonRpcError, Method } from '../kernel/wire.ts';
import { card } from './card.ts';
import { codecs } from './codecs.ts';
import { tables } from './mapping.ts';
import { createMethods } from './methods.ts';
import { grpc, rest } from './protobuf/bindings.ts';
import { software } from './protobuf/software.ts';
import { read } from './read.ts';

/** Differences between A2A 0.3 and 0.2. */
export interface Pieces {
  readonly methods: readonly Method[];
  readonly error: Codec<JsonRpcError, A2AError>;
  readonly card: CardShape;
}

/** A dialect with the messages, tasks and events of A2A 0.3. */
export function dialectOf({ methods, error, card }: Pieces): Omit<Dialect, 'name' | 'versions'> {
  const jsonrpc: JsonRpcBinding = {
    ...methodTables(methods),
    tables,
    error,
    errorStatuses: jsonRpcErrorStatuses,
    // A refused stream is answered by an event stream too: the real clients lose the code of an error in plain JSON.
    // The frame has no name, as at the server in Python: the SDK for JavaScript of 1.0 drops the content of a
    // named one.
    stream: { enveloped: true, error: errorFrames(error), refusedAsStream: true },
  };
  return {
    // These versions use the first; gateways and SDKs of A2A 1.0 read both.
    extensionHeaders: ['X-A2A-Extensions', 'A2A-Extensions'],
    jsonrpc,
    card,
    // The body that the official SDKs send; the schema does not define it.
    push: { mediaType: 'application/json', body: 'task' },
    types: typesOf(jsonrpc, card, {
      message: readAs(read, 'Message', codecs.message),
      task: readAs(read, 'Task', codecs.task),
      event: atRoot(codecs.event),
    }),
    losses: { ...losses, ...cardLosses, error: [] },
  };
}

/** A2A 0.3, for the clients and servers of the official SDKs (JavaScript 0.3.14, Python 0.3.26). */
export const a2a03: Dialect = {
  name: 'a2a-0.3',
  versions: ['0.3'],
  ...dialectOf({ methods: createMethods({ card, messageIds: true }), error: errorCodec(), card }),
  rest,
  grpc,
  software,
  namesOutputModes: true,
};
