import { losses } from '../../gen/dialects/a2a-0.1.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { errorFrames, jsonRpcErrorStatuses } from '../kernel/errors.ts';
import { methodTables, readAs, typesOf } from '../kernel/methods.ts';
import { namelessMessage } from '../kernel/nameless.ts';
import { card } from './card.ts';
import { claim } from './claim.ts';
import { codecs, read } from './codecs.ts';
import { error } from './errors.ts';
import { composed, methods } from './methods.ts';
import { taskCodec } from './names.ts';
import { event } from './stream.ts';

/**
 * Google's A2A 0.1 of April 2025: JSON-RPC, tasks only, ids chosen by the client, artifacts by their place. Written for
 * the clients of its own samples (Python with pydantic, JavaScript), and accepting what its document says besides.
 */

const jsonrpc: NonNullable<Dialect['jsonrpc']> = {
  ...methodTables(methods, composed),
  error,
  errorStatuses: jsonRpcErrorStatuses,
  stream: {
    enveloped: true,
    // The JavaScript client reads no event that has any line but `data:`. The Python client's parser hands on a comment,
    // once an id was there, as an event without data, and the client breaks at it.
    withoutIds: true,
    error: errorFrames(error),
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
  types: typesOf(jsonrpc, card, {
    message: namelessMessage(readAs(read, 'Message', codecs.message)),
    task: taskCodec,
    event,
  }),
  losses: { ...losses, error: [] },
  claim,
};
