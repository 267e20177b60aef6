import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function InboxPage(): JSX.Element {
  return (
    <Page title="Inbox">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
