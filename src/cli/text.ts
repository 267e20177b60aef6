import { withoutControls } from '../core/model/text.ts';

/** A text on one line, and no longer than `width`. */
export function oneLine(text: string, width: number): string {
  const line = withoutControls(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
