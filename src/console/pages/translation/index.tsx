import type { JSX } from 'preact';
import { Empty, Page } from '../../ui/index.ts';

export default function TranslationPage(): JSX.Element {
  return (
    <Page title="Translation">
      <Empty title="This page is not built yet" />
    </Page>
  );
}
