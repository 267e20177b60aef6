/** Returns the number of letters to change, add, remove or swap with a neighbour to turn `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns the most similar of the known words if at most a third of its letters differ, ignoring case. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: { word: string; away: number } | undefined;
  for (const candidate of known) {
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (away <= Math.max(1, Math.floor(candidate.length / 3)) && (best === undefined || away < best.away)) {
      best = { word: candidate, away };
    }
  }
  return best?.word;
}

/** Returns a hint about an unknown word: the most similar name, or all names. */
export function suggestionFor(word: string, names: readonly string[]): string {
  const like = nearest(word, names);
  return like === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${like}?`;
}
