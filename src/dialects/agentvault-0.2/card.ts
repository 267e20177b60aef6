import { shapes } from '../../gen/agentvault-0.2/shapes.ts';
import { parseWith } from '../../wire/validate.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { readAs } from '../kernel/methods.ts';
import { interfaceVersion } from './card-mapping.ts';
import { codecs } from './codecs.ts';

export const card: CardShape = {
  // Without unknown members, because parts of the card are preserved as they are.
  ...readAs((name: 'AgentCard', document) => parseWith(shapes, name, document), 'AgentCard', codecs.card),
  paths: ['/agent-card.json'],
  protocolVersion: interfaceVersion,
};
