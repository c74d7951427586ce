/** The thread of jpeg.ts: calls one function of the library, then exits. */
const { parentPort, workerData } = require('node:worker_threads');
const library = require('jpeg-js');

const { name, given } = workerData;
parentPort.postMessage(library[name](...given));
