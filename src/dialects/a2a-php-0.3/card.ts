import { validators } from '../../gen/a2a-0.3/validators.ts';
import { cardShape } from '../a2a-0.3/card.ts';
import type { CardShape } from '../dialect.ts';
import { isObject } from '../errors.ts';

/** The card of A2A 0.3, with a flag that the SDK always writes, and read with the empty lists that it writes. */

const plain: CardShape = cardShape({
  protocolVersion: '0.3.0',
  interfaceVersion: 'a2a-php-0.3',
  paths: [],
  validator: () => validators.AgentCard,
  schemes: new Set(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const),
  since03: true,
});

type Json = Record<string, unknown>;

/** Members that hold objects: PHP writes an empty one as an empty list. */
const objects: ReadonlySet<string> = new Set([
  'capabilities',
  'securitySchemes',
  'flows',
  'scopes',
  'params',
  'header',
]);

/** Members that hold lists of objects. */
const requirements = 'security';

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function withObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withObjects);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    if (objects.has(name) && isEmptyList(item)) return [name, {}];
    if (name === requirements && Array.isArray(item)) return [name, item.map((one) => (isEmptyList(one) ? {} : one))];
    return [name, withObjects(item)];
  });
  return Object.fromEntries(entries);
}

/** Without a flag that goes without saying. */
function withoutDefault(card: unknown): unknown {
  if (!isObject(card) || !isObject(card.capabilities) || card.capabilities.stateTransitionHistory !== false)
    return card;
  const { stateTransitionHistory: _, ...capabilities } = card.capabilities;
  return { ...card, capabilities };
}

export const card: CardShape = {
  ...plain,
  decode: (wire, cx) => plain.decode(withoutDefault(withObjects(wire)), cx),
  encode(v1, cx) {
    const wire = plain.encode(v1, cx) as { readonly capabilities: Json };
    return { ...wire, capabilities: { stateTransitionHistory: false, ...wire.capabilities } };
  },
};
