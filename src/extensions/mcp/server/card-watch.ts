import type { AgentDescription } from '../../../core/model/agent.ts';

type Cards = readonly AgentDescription[];

/** Milliseconds between two checks. */
const pace = 2_000;

/** Creates a watch that checks periodically whether cards have changed, while there are listeners. */
export function createCardWatch() {
  const watched = new Map<() => Cards, { readonly onChange: () => void; former: Cards }>();
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    for (const [cards, entry] of watched) {
      const now = cards();
      if (now.length === entry.former.length && now.every((card, index) => card === entry.former[index])) continue;
      entry.former = now;
      entry.onChange();
    }
  };

  return {
    check,
    /** Returns the function that ends it. */
    add(cards: () => Cards, onChange: () => void): () => void {
      watched.set(cards, { onChange, former: cards() });
      timer ??= setInterval(check, pace).unref();
      return () => {
        watched.delete(cards);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
