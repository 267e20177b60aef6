/** A fenced block of a Markdown file. */
export interface Block {
  /** First word of the info string. */
  readonly language: string;
  /** The other words. */
  readonly words: readonly string[];
  readonly text: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** Directives in comments directly above: `<!-- no-run: starts a download -->` is `no-run` → `starts a download`. */
  readonly directives: ReadonlyMap<string, string>;
  /** The file that it shows, where its first line is a comment that is nothing but a file name. */
  readonly file: string | undefined;
}

const shownFile =
  /^(?:\/\/|#|<!--)\s*([\w./-]+\.(?:ts|mts|js|mjs|json|ya?ml|ttl|txt|py|go|java|properties|xml|conf))\s*(?:-->)?$/;

/** Finds the fenced blocks of Markdown text, in order. Throws for a fence that is never closed. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', fence, info = ''] = /^(\s*)(`{3,})([^`]*)$/.exec(lines[index] ?? '') ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trim() === fence);
    if (end < 0) throw new Error(`line ${index + 1}: this fence is never closed`);
    const directives = new Map<string, string>();
    for (let above = index - 1; above >= 0; above--) {
      const [, name, value] = /^\s*<!-- ([\w-]+): (.+) -->\s*$/.exec(lines[above] ?? '') ?? [];
      if (name === undefined || value === undefined) break;
      directives.set(name, value);
    }
    const body = lines
      .slice(index + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const [language = '', ...words] = info.trim().split(/\s+/);
    const file = shownFile.exec(body[0] ?? '')?.[1];
    blocks.push({ language, words, text: `${body.join('\n')}\n`, line: index + 1, directives, file });
    index = end;
  }
  return blocks;
}
