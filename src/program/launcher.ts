#!/usr/bin/env node
/** The source of `dist/cli.js`, the command `receiverd` of a package. */
import { setFlagsFromString } from 'node:v8';
import { loadProgram } from './load-program.ts';

// V8 would let the room for new objects grow from 1 to 16 MB, most of which stays: 34 MB more after an import of 300,000
// events. Requests and imports take as much processor time without. scripts/compile.mjs sets the same flag.
setFlagsFromString('--semi-space-growth-factor=1');
await loadProgram().commandLine.parseAsync();
