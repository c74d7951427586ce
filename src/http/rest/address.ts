/** The parameter `url` of imports: the receiver downloads the file, instead of taking it from the body. */
import { text } from '../middleware/parameters.ts';

export const address = text(
  'address (http or https) from which the receiver downloads the file; the body is ignored then. Addresses of this machine are refused unless the setting iptv.allow contains them',
  { example: 'https://tv.example/file' },
);

export const addressFailures = {
  403: 'the address is not allowed',
  502: 'the server of the address does not send the file',
};
