import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent } from 'vue';
import './style.css';
import './wide.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Loaded by the page that has it.
    app.component(
      'Playground',
      defineAsyncComponent(() => import('./playground/playground.tsx')),
    );
  },
} satisfies Theme;
