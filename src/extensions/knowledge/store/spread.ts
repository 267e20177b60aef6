import type { KnowledgeSpace } from '../../../core/model/knowledge.ts';
import type { Store } from '../../../core/ports/store.ts';
import type { ApplyOptions, KnowledgeStore } from './port.ts';
import { openSqlKnowledge } from './store.ts';

export type StoreOfSpace = (space: KnowledgeSpace) => Pick<Store, 'extend'>;

/** Knowledge whose spaces are spread over several stores. Each store is opened by the first call about a space in it. */
export function spreadKnowledge(storeOf: StoreOfSpace): KnowledgeStore {
  const opened = new Set<KnowledgeStore>();
  const open = async (space: KnowledgeSpace): Promise<KnowledgeStore> => {
    const knowledge = await storeOf(space).extend(openSqlKnowledge);
    opened.add(knowledge);
    return knowledge;
  };
  return {
    // The clocks of the stores are those of their databases.
    now: () => [...opened][0]?.now() ?? Date.now(),
    find: async (space, ...rest) => (await open(space)).find(space, ...rest),
    findEach: async (space, ...rest) => (await open(space)).findEach(space, ...rest),
    count: async (space, ...rest) => (await open(space)).count(space, ...rest),
    entities: async (space, ...rest) => (await open(space)).entities(space, ...rest),
    countEntities: async (space, ...rest) => (await open(space)).countEntities(space, ...rest),
    typesOf: async (space, ...rest) => (await open(space)).typesOf(space, ...rest),
    changes: async (space, ...rest) => (await open(space)).changes(space, ...rest),
    extent: async (space) => (await open(space)).extent(space),
    apply: (async (space, patches, meta, options: ApplyOptions = {}) =>
      (await open(space)).apply(space, patches, meta, options)) as KnowledgeStore['apply'],
    watch(space, listener) {
      let end: (() => void) | undefined;
      let hasEnded = false;
      open(space).then(
        (knowledge) => {
          if (!hasEnded) end = knowledge.watch(space, listener);
          // There may have been changes in the meantime.
          listener();
        },
        // Its reader looks again, and learns there that the store is away.
        () => listener(),
      );
      return () => {
        hasEnded = true;
        end?.();
      };
    },
    async expireChanges(before, limit) {
      const deleted = await Promise.allSettled([...opened].map((knowledge) => knowledge.expireChanges(before, limit)));
      return deleted.reduce((total, one) => total + (one.status === 'fulfilled' ? one.value : 0), 0);
    },
  };
}
