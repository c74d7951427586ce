#!/usr/bin/env node
/** The source of `dist/cli.js`, the command `receiverd` of a package. */
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from './load-program.ts';

// Keeps V8's young generation from growing from 1 to 16 MB, which it would hardly release: 34 MB more after an
// import
// of 300,000 events. Requests and imports take no more processor time. scripts/compile.mjs sets the same flag.
setFlagsFromString('--semi-space-growth-factor=1');
await loadProgram().commandLine.parseAsync();
