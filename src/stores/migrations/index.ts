import { tasks } from './0001-tasks.ts';
import { pushConfigOwners } from './0002-push-config-owners.ts';
import { upstreamIds } from './0003-upstream-ids.ts';
import { pushOutbox } from './0004-push-outbox.ts';
import { peers } from './0006-peers.ts';
import { followers } from './0007-followers.ts';
import { callNonces } from './0008-call-nonces.ts';
import { pushConfigPrincipals } from './0009-push-config-principals.ts';
import { canonicalForm } from './0010-canonical-form.ts';
import { upstreamColumns } from './0011-upstream-columns.ts';
import { upstreamIndexes } from './0012-upstream-indexes.ts';
import { generations } from './0013-generations.ts';
import { agentState } from './0014-agent-state.ts';
import { adminIndexes } from './0015-admin-indexes.ts';
import { agentModes } from './0016-agent-modes.ts';
import { optionalSteps } from './0017-optional-steps.ts';
import { turnRequests } from './0018-turn-requests.ts';
import { parents } from './0019-parents.ts';
import { parentIndex } from './0020-parent-index.ts';
import { words } from './0021-words.ts';
import { roots } from './0023-roots.ts';
import { rootIndex } from './0024-root-index.ts';
import type { Migration } from './step.ts';

/** In the order in which they are applied. Extensions have further ones (`Store.extend`), with numbers of their own. */
export const migrations: readonly Migration[] = [
  tasks,
  pushConfigOwners,
  upstreamIds,
  pushOutbox,
  peers,
  followers,
  callNonces,
  pushConfigPrincipals,
  canonicalForm,
  upstreamColumns,
  upstreamIndexes,
  generations,
  agentState,
  adminIndexes,
  agentModes,
  optionalSteps,
  turnRequests,
  parents,
  parentIndex,
  words,
  roots,
  rootIndex,
];

/** Number of the newest migration that this program knows. */
export const newestMigration: number = migrations.at(-1)?.number ?? 0;
