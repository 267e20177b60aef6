import type { Knowledge } from '../core/agent-knowledge.ts';
import type { Uses } from './uses.ts';

/** The same knowledge, whose calls and subscriptions are counted. */
export function heldKnowledge(knowledge: Knowledge, uses: Uses): Knowledge {
  return {
    languages: knowledge.languages,
    query: (request, context) => uses.during(knowledge.query(request, context)),
    update: (request, context) => uses.during(knowledge.update(request, context)),
    async subscribe(request, context) {
      const changes = await uses.during(knowledge.subscribe(request, context));
      return { [Symbol.asyncIterator]: () => uses.iterate(changes[Symbol.asyncIterator]()) };
    },
    ...(knowledge.close && { close: () => knowledge.close?.() ?? Promise.resolve() }),
  };
}
