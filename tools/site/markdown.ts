/** Reads Markdown line by line, as far as the site needs it: titles, headings and links outside of code. */

export interface Line {
  readonly text: string;
  /** Whether the line belongs to a fenced block of code, its fences included. */
  readonly code: boolean;
}

const fence = /^\s*(`{3,}|~{3,})/;

/** The lines of a page, each with whether it is code. */
export function linesOf(markdown: string): Line[] {
  let open: string | undefined;
  return markdown.split('\n').map((text) => {
    const marks = fence.exec(text)?.[1];
    if (open === undefined) {
      open = marks;
      return { text, code: marks !== undefined };
    }
    if (marks?.startsWith(open) && text.trim() === marks) open = undefined;
    return { text, code: true };
  });
}

/** The first heading of a page, in plain text. */
export function titleOf(markdown: string): string | undefined {
  const line = linesOf(markdown).find(({ text, code }) => !code && text.startsWith('# '));
  return line?.text.slice(2).replaceAll('`', '').trim();
}

/** The anchor of a heading, as code hosts make it. The site makes the same, so that links work in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Anchors of a page's headings. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text, code } of linesOf(markdown)) {
    const heading = code ? undefined : /^#{1,6}\s+(.*)/.exec(text)?.[1];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    let name = anchor;
    for (let nth = 1; anchors.has(name); nth++) name = `${anchor}-${nth}`;
    anchors.add(name);
  }
  return anchors;
}

const target = /(\]\()([^)\s]+)(?=[)\s])|(^\s*\[[^\]]+\]:\s*)(\S+)|(\s(?:src|href|srcset)=")([^"]+)(?=")/g;

/** The page with each link's target replaced by what `change` returns for it. Code keeps its text. */
export function mapLinks(markdown: string, change: (target: string) => string): string {
  const lines = linesOf(markdown).map(({ text, code }) => {
    if (code) return text;
    // Split by spans of code, which are every second piece.
    const pieces = text.split(/(`+[^`]*`+)/);
    return pieces
      .map((piece, index) => {
        if (index % 2 === 1) return piece;
        return piece.replace(target, (...match: (string | undefined)[]) => {
          const [, a = '', b = '', c = '', d = '', e = '', f = ''] = match;
          return `${a}${c}${e}${change(b || d || f)}`;
        });
      })
      .join('');
  });
  return lines.join('\n');
}
