import type { Api } from '../../gen/api.ts';
import { api as knowledgeApi } from '../../gen/knowledge-v1/index.ts';
import { a2a01 } from '../a2a-0.1/index.ts';
import { a2a02 } from '../a2a-0.2/index.ts';
import { a2a03 } from '../a2a-0.3/index.ts';
import { type V1Version, v1Dialect } from '../a2a-1.0/index.ts';
import { a2aPhp03 } from '../a2a-php-0.3/index.ts';
import { agentVault } from '../agentvault-0.2/index.ts';
import type { Dialect } from './dialect.ts';
import { knowledgeProtocol } from './knowledge.ts';
import { type Dialects, dialectsOf } from './lookup.ts';
import type { WireProtocol } from './wire.ts';

/** The versions of A2A 1.x, which are served as they are: each is one row. */
const v1Versions = (api: Api): V1Version[] => [
  { name: 'a2a-1.0', versions: ['1.0'], api, card: { paths: ['/.well-known/agent-card.json'] } },
];

/** The other dialects: one row and one folder each. */
const legacyDialects: readonly Dialect[] = [a2a03, a2a02, a2a01, agentVault, a2aPhp03];

/** The extensions that are served with every dialect: one row and one file each. */
export const extensions: readonly WireProtocol[] = [knowledgeProtocol(knowledgeApi)];

/** All dialects of this version of the gateway over `api`, the generated A2A 1.0. */
export const createDialects = (api: Api): Dialects =>
  dialectsOf([...v1Versions(api).map(v1Dialect), ...legacyDialects], extensions);
