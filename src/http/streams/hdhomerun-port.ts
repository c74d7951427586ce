/** The stream port of the HDHomeRun server: `/auto/v7` and `/tuner0/v7`, with the errors that its clients know. */
import { fail, ReceiverError } from '../../base/errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { StreamPort } from './stream-server.ts';

/** Values of the header X-HDHomeRun-Error. */
const unknownChannel = '801 Unknown Channel';
const tunersBusy = '805 All Tuners In Use';
const tuneFailed = '806 Tune Failed';
const noVideo = '807 No Video Data';
const contentProtected = '811 Content Protection Required';
const errorsByCode: Readonly<Record<string, string>> = {
  'service-not-found': unknownChannel,
  'tuners-busy': tunersBusy,
  'too-many-clients': tunersBusy,
  'not-receivable': tuneFailed,
  'no-signal': tuneFailed,
  'stream-failed': tuneFailed,
  'table-missing': noVideo,
  scrambled: contentProtected,
};

/** @param find the service with a guide number */
export function hdhomerunPort(find: (number: string) => Promise<ServiceReference | undefined>): StreamPort {
  return {
    async referenceOf(path) {
      const number = /^(?:auto|tuner\d)\/v(\d{1,6}(?:\.\d{1,4})?)$/.exec(path)?.[1];
      const reference = number === undefined ? undefined : await find(number);
      if (reference === undefined) throw fail('service-not-found', `/${path}`);
      return reference.format();
    },
    errorHeaders(error) {
      const known = error instanceof ReceiverError ? errorsByCode[error.code] : undefined;
      return known === undefined ? {} : { 'X-HDHomeRun-Error': known };
    },
  };
}
