import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function TasksPage(): JSX.Element {
  return (
    <Page title="Tasks">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
