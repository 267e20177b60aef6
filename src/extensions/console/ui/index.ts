/** Components of pages. */
export {
  Badge,
  Button,
  Bytes,
  Clock,
  Empty,
  type Fact,
  Facts,
  Failure,
  Missing,
  Notice,
  now,
  type Severity,
  severityOf,
  Tagged,
  Time,
} from './basic.tsx';
export { ActionButton, Dialog } from './dialog.tsx';
export { Field, Select } from './field.tsx';
export { Icon, type IconName } from './icon.tsx';
export { Json } from './json.tsx';
export { Page, type PageProps } from './page.tsx';
export { type Column, Table, type TableProps } from './table.tsx';
export { type Tab, Tabs } from './tabs.tsx';
export { Code, Copy, Text } from './text.tsx';
export { VirtualList } from './virtual-list.tsx';
