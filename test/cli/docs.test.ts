import { testPages } from '../readme/run-blocks.ts';

testPages(['docs/reference/command-line.md'], { installed: true });
