import { defined, isObject } from '../../core/model/json.ts';
import { cardShape } from '../a2a-0.3/card.ts';
import { version03 } from '../a2a-0.3/card-mapping.ts';
import type { CardShape } from '../kernel/dialect.ts';

/**
 * The card of A2A 0.3, read with the empty lists that PHP writes for empty objects. Capabilities have the names of A2A,
 * which the SDK's code uses, and those of its document.
 */

const baseCard: CardShape = cardShape({
  version: {
    ...version03,
    interfaceVersion: 'a2a-php-0.3',
    documented: ({ streaming, pushNotifications }) => ({
      canReceiveMessages: true,
      canSendMessages: true,
      canManageTasks: true,
      ...defined({ supportsStreaming: streaming, supportsPushNotifications: pushNotifications }),
    }),
  },
  paths: [],
});

/** Members whose objects have no schema. */
const opaque: ReadonlySet<string> = new Set(['params', 'header']);

/** Members that hold objects: PHP writes an empty one as an empty list. */
const objects: ReadonlySet<string> = new Set(['capabilities', 'securitySchemes', 'flows', 'scopes', ...opaque]);

/** Members that hold lists of objects. */
const requirements = 'security';

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function withObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withObjects);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    if (objects.has(name) && isEmptyList(item)) return [name, {}];
    if (name === requirements && Array.isArray(item)) return [name, item.map((one) => (isEmptyList(one) ? {} : one))];
    return [name, opaque.has(name) ? item : withObjects(item)];
  });
  return Object.fromEntries(entries);
}

export const card: CardShape = { ...baseCard, decode: (wire, cx) => baseCard.decode(withObjects(wire), cx) };
