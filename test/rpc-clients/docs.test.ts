import { testPages } from '../readme/run-blocks.ts';

testPages(['docs/guides/clients.md'], { installed: true });
