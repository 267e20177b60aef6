/** Components of pages. */
export * from './basic.tsx';
export * from './dialog.tsx';
export * from './field.tsx';
export * from './icon.tsx';
export * from './json.tsx';
export * from './page.tsx';
export * from './table.tsx';
export * from './tabs.tsx';
export * from './text.tsx';
export * from './virtual-list.tsx';
