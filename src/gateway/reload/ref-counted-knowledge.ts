import type { Knowledge } from '../../core/model/agent-knowledge.ts';
import type { Uses } from './ref-count.ts';

/** The same knowledge, whose calls and subscriptions are counted. */
export function heldKnowledge(knowledge: Knowledge, uses: Uses): Knowledge {
  return {
    languages: knowledge.languages,
    query: (request, context) => uses.during(knowledge.query(request, context)),
    update: (request, context) => uses.during(knowledge.update(request, context)),
    async subscribe(request, context) {
      const changes = await uses.during(knowledge.subscribe(request, context));
      const { after } = changes;
      const iterate = () => uses.iterate(changes[Symbol.asyncIterator]());
      return { ...(after !== undefined && { after }), [Symbol.asyncIterator]: iterate };
    },
    ...(knowledge.close && { close: () => knowledge.close?.() ?? Promise.resolve() }),
  };
}
