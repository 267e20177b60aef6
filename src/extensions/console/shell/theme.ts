import { signal } from '@preact/signals';

/** `system` follows the system's setting. */
export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'a2a-gateway.theme';

const stored = localStorage.getItem(storageKey);

/** The theme of the console, kept in this browser. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

theme.subscribe((value) => {
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});

/** System, then light, then dark. */
export function nextTheme(): void {
  const next = { system: 'light', light: 'dark', dark: 'system' } as const;
  theme.value = next[theme.peek()];
  localStorage.setItem(storageKey, theme.value);
}
