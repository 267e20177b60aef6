import { configuredPrincipals } from '../../auth/principals.ts';
import { createAskReplicas } from '../../core/cluster/ask-replicas.ts';
import { A2AError } from '../../core/model/errors.ts';
import { once } from '../../core/model/timing.ts';
import type { AddedHandlers } from '../handlers.ts';
import type { AdminHost, ErasedCounts, Host } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { Erasures } from './erasures.ts';
import { type Change, type OpenErasure, sumOf } from './model.ts';
import type { ErasureTargets } from './steps.ts';

/** Erases callers: deletes all data of one principal. */
export const erasure: Module = { name: 'erasure', open: () => new ErasureModule() };

/**
 * Work of each replica for an erasure: before the caller's tasks have ended, after they have ended, and after they are deleted.
 */
interface Question extends Pick<OpenErasure, 'principal' | 'before'> {
  readonly does: 'end' | 'release' | 'forget';
}

class ErasureModule implements OpenModule {
  #starting: Promise<void> | undefined;
  #opening: (() => Promise<Erasures>) | undefined;
  /** Undefined until there is an erasure. */
  #erasures: Erasures | undefined;
  #isClosed = false;

  /** Continues interrupted erasures, if there was ever one. */
  start(host: Host): void {
    const resume = async (): Promise<void> => {
      const { openHistory } = await import('./store.ts');
      if (await (await host.store.extend(openHistory)).hasAny()) await this.#open(host);
    };
    this.#starting = resume().catch((err: unknown) => {
      if (this.#isClosed) return;
      host.logger.warn(
        { err },
        'erasures could not be read; those that were interrupted wait for the next EraseCaller',
      );
    });
  }

  async #open(host: Host): Promise<Erasures> {
    this.#opening ??= once(() => openedAt(host));
    this.#erasures = await this.#opening();
    if (this.#isClosed) this.#erasures.close();
    return this.#erasures;
  }

  async handlers(host: AdminHost): Promise<AddedHandlers> {
    const { eraseHandlers } = await import('./handlers.ts');
    return {
      handlers: eraseHandlers({ store: host.store, open: () => this.#open(host) }),
      answers: {
        EraseCaller: async (question: Question) => {
          // If the replica that asks dies, this one goes on.
          await this.#open(host);
          return answer(host, question);
        },
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#erasures?.close();
  }

  async closed(): Promise<void> {
    await this.#starting;
    await this.#erasures?.idle();
  }
}

/** Opens the table of erasures and continues interrupted ones. */
async function openedAt(host: Host): Promise<Erasures> {
  const { store, logger, audit } = host;
  const [{ Erasures }, { openErasures }] = await Promise.all([import('./erasures.ts'), import('./store.ts')]);
  const opened = await store.extend(openErasures);
  const erasures = new Erasures({ store: opened, peers: store.peers, logger, audit, targets: targetsOf(host) });
  erasures.start();
  return erasures;
}

const reason = 'An operator deletes everything of the caller of this task.';

/** Does this replica's work for an erasure that any replica carries out. Resolves with the numbers of deleted items. */
async function answer({ service, metrics, operators }: Host, { does, ...caller }: Question): Promise<ErasedCounts> {
  const { principal, before } = caller;
  const isOf = (task: { readonly principal: string; readonly createdAt: number }): boolean =>
    task.principal === principal && task.createdAt <= before;
  if (does === 'end') {
    service.endTasks((task) => (isOf(task) ? new A2AError('permissionDenied', reason) : undefined));
    return {};
  }
  const forgotten = await operators.forget(caller);
  if (does === 'release') return forgotten;
  service.forgetTasks(isOf);
  metrics.callers.forget(principal);
  metrics.losses.forget(principal);
  return { calls: metrics.log.forget(principal), ...forgotten };
}

function targetsOf(host: Host): ErasureTargets {
  const { active, operators, service, store } = host;
  const ask = createAskReplicas(store, async (_, question) => answer(host, question as Question));
  const asked = (does: Question['does'], { principal, before }: OpenErasure) =>
    ask<ErasedCounts>('EraseCaller', { does, principal, before } satisfies Question);
  const counted = async (does: Question['does'], open: OpenErasure): Promise<Change> => {
    const { answers, missing } = await asked(does, open);
    const erased = answers.map(({ value }) => value).reduce((one, other) => sumOf(one, other), {});
    return { erased, missing, waits: missing.length > 0 };
  };
  return {
    async end(open) {
      await asked('end', open);
      await service.endIdleTasks({
        filter: { principal: open.principal },
        applies: ({ createdAt }) => createdAt <= open.before,
        reason: new A2AError('permissionDenied', reason),
        unownedOnly: false,
        goesOn: () => true,
      });
    },
    erase: operators.erase,
    release: (open) => counted('release', open),
    forget: (open) => counted('forget', open),
    remaining(principal) {
      const { auth } = active.snapshot.config;
      // Named by their section, since their names contain the caller's.
      return { credentials: configuredPrincipals(auth).some((one) => one.principal === principal) ? ['auth'] : [] };
    },
  };
}
