import type { CardShape } from '../kernel/dialect.ts';
import { readAs } from '../kernel/methods.ts';
import { interfaceVersion } from './card-mapping.ts';
import { codecs, read } from './codecs.ts';

export const card: CardShape = {
  ...readAs(read, 'AgentCard', codecs.card),
  paths: ['/agent-card.json'],
  protocolVersion: interfaceVersion,
};
