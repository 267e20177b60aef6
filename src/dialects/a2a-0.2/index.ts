import { api } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { shapes as differences } from '../../gen/a2a-0.2/shapes.ts';
import { shapes as shapes03 } from '../../gen/a2a-0.3/shapes.ts';
import { losses } from '../../gen/dialects/a2a-0.2-card.ts';
import { hasNewerMember } from '../a2a-0.1/card.ts';
import { cardShape } from '../a2a-0.3/card.ts';
import { version02 } from '../a2a-0.3/card-mapping.ts';
import { dialectOf } from '../a2a-0.3/index.ts';
import { createMethods } from '../a2a-0.3/methods.ts';
import type { CardShape, Dialect } from '../kernel/dialect.ts';
import { errorCodec } from '../kernel/errors.ts';
import { heldAsWorking } from '../kernel/held-as-working.ts';
import { method, resultOf } from '../kernel/methods.ts';
import type { RestBinding } from '../kernel/wire.ts';

/**
 * A2A 0.2 in the form of 0.2.6, which contains the earlier ones. Messages, tasks, events and parameters are those of
 * A2A 0.3; the card is older, and the extended one is fetched by GET.
 */

const newest: CardShape = cardShape({
  version: version02,
  paths: ['/.well-known/agent.json'],
  shapes: { ...shapes03, ...differences },
});

/** Modes in cards of A2A 0.1, which are not media types. */
const olderModes: ReadonlySet<unknown> = new Set(['text', 'file', 'data']);

/**
 * Returns the member that identifies a card as one of 0.1. Such a card has all members that one of 0.2 needs, and
 * describes authentication and modes differently.
 */
function olderMember({ protocolVersion, authentication, defaultInputModes: modes }: JsonObject): string | undefined {
  if (protocolVersion !== undefined) return undefined;
  if (Array.isArray(modes) && modes.some((mode) => olderModes.has(mode))) return 'defaultInputModes';
  return authentication === undefined ? undefined : 'authentication';
}

const card: CardShape = {
  ...newest,
  isUnlikely: (document) => olderMember(document) !== undefined && !hasNewerMember(document),
  decode: (wire, cx) => {
    const older = !cx.unread && isObject(wire) ? olderMember(wire) : undefined;
    if (older !== undefined) throw A2AError.invalidField(older, 'is of A2A 0.1');
    return newest.decode(wire, cx);
  },
};

/** Codec of errors. The codes of A2A 0.2 end at -32006. */
const error: ReturnType<typeof errorCodec> = errorCodec({
  extendedAgentCardNotConfigured: -32603,
  extensionSupportRequired: -32603,
  versionNotSupported: -32603,
});

const extendedCard = method('agent/authenticatedExtendedCard', 'GetExtendedAgentCard', {
  request: { decode: () => ({ request: {} }), encode: () => ({}) },
  result: resultOf(card),
});

/** Codec of errors over HTTP, which contain the error object of JSON-RPC, as the servers of that time wrote it. */
const restError: RestBinding['error'] = {
  encode: (thrown, cx) => ({ status: thrown.row.http, body: error.encode(thrown, cx) }),
  decode: (wire, cx) => {
    const { body } = wire as { body: unknown };
    return error.decode(isObject(body) && isObject(body.error) ? body.error : body, cx);
  },
};

const shared: ReturnType<typeof dialectOf> = dialectOf({ methods: createMethods({ outputModes: true }), error, card });

export const a2a02: Dialect = heldAsWorking({
  name: 'a2a-0.2',
  versions: [],
  namesOutputModes: true,
  ...shared,
  losses: { ...shared.losses, ...losses },
  rest: {
    api,
    routes: [
      {
        rule: { verb: 'GET', path: '/agent/authenticatedExtendedCard' },
        method: extendedCard,
        requestType: `${api.package}.GetExtendedAgentCardRequest`,
      },
    ],
    mediaType: 'application/json',
    error: restError,
  },
});
