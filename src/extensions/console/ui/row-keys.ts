import type { TargetedKeyboardEvent } from 'preact';

/** Moves the focus to the link of the next or previous row by the arrow keys, in a box whose rows have an `aria-rowindex`. */
export function moveBetweenRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const current = (event.target as HTMLElement).closest('[aria-rowindex]')?.getAttribute('aria-rowindex');
  if (step === 0 || !current) return;
  const next = event.currentTarget.querySelector<HTMLElement>(`[aria-rowindex="${Number(current) + step}"] a`);
  if (!next) return;
  event.preventDefault();
  next.focus();
}
