import type { RefCount } from '../../core/middleware/ref-count.ts';
import type { AgentKnowledge } from './model/knowledge.ts';

/** Wraps knowledge so that its open calls and subscriptions are counted. */
export function refCountedKnowledge(knowledge: AgentKnowledge, refs: RefCount): AgentKnowledge {
  return {
    languages: knowledge.languages,
    query: (request, context) => refs.hold(knowledge.query(request, context)),
    update: (request, context) => refs.hold(knowledge.update(request, context)),
    async subscribe(request, context) {
      const changes = await refs.hold(knowledge.subscribe(request, context));
      const { after } = changes;
      const iterate = () => refs.iterate(changes[Symbol.asyncIterator]());
      return { ...(after !== undefined && { after }), [Symbol.asyncIterator]: iterate };
    },
    ...(knowledge.close && { close: () => knowledge.close?.() ?? Promise.resolve() }),
  };
}
