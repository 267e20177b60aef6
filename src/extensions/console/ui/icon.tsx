import type { JSX } from 'preact';

/** Own drawings on a grid of 16, in the text's color. */
const drawings = {
  agents: 'M5.5 6.5h.01M10.5 6.5h.01M6 10h4M3 3.5h10v9H3zM8 3.5V1.5M1 7v2M15 7v2',
  bench: 'M6 2h4M7 2v4l-4 7.500h10L9 6V2M5 10.500h6',
  knowledge:
    'M4 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.600M12.200 8a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600M5.500 14a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600M5.700 4.300l4.700 1.400M4.300 5.500l.9 4.900M11 7.500 6.900 11',
  tasks: 'M6 4h8M6 8h8M6 12h8M2 4h.01M2 8h.01M2 12h.01',
  calls: 'M2 5h11M10.500 2.500 13 5l-2.500 2.500M14 11H3M5.500 8.500 3 11l2.500 2.500',
  inbox: 'M2 9.500h3.500l1 2h3l1-2H14M2 9.500 3.800 3h8.400L14 9.500V13H2z',
  push: 'M8 14V6M4.500 9 8 5.500 11.500 9M3 2.500h10',
  metrics: 'M2 2v12h12M5 10.500l2.500-3 2 2L13.500 5',
  gateway: 'M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  copy: 'M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1',
  check: 'M3 8.500 6.500 12 13 4.500',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500V3M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M3.400 12.600l1-1M11.600 4.400l1-1',
  menu: 'M2 4h12M2 8h12M2 12h12',
  key: 'M10.500 9a3.500 3.500 0 1 0-3.300-2.300L2 12v2h2.500v-1.500H6V11h1.500l1.200-2.300A3.500 3.500 0 0 0 10.500 9zM11 5h.01',
  reload: 'M13.500 8a5.500 5.500 0 1 1-1.700-4M13.500 1.500V4.500h-3',
} as const;

export type IconName = keyof typeof drawings;

/** A small drawing beside a text. It has no name of its own: buttons without text need a label. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
