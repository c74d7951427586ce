/** The texts of the page that connects apps, in English. */
const english = {
  apps: 'Apps',
  browser: 'Phone or tablet',
  channels: 'Channels',
  allChannels: 'All channels',
  values: {
    page: 'Address',
    host: 'Host',
    webPort: 'Web port',
    streamPort: 'Streaming port',
    playlist: 'Playlist (M3U)',
    guide: 'Guide (XMLTV)',
    tuner: 'Tuner address',
  },
  about: {
    browser:
      'Open this address on another device of your network, or scan it with the camera. Many browsers can add the page to the home screen.',
    kodi: 'Install the add-on Enigma2 Client, enter these values, and restart Kodi. Channels, guide, timers and recordings then appear under TV and Radio.',
    vlc: 'Opens the channels as a playlist. mpv and most other players take the same address.',
    jellyfin: 'Add the playlist as a tuner, then the guide. Jellyfin matches the two by the channels’ ids.',
    plex: 'Plex finds the receiver as an HDHomeRun tuner. If it does not, enter this address there. As the guide, choose XMLTV and enter the second address.',
    iptv: 'TiviMate and other IPTV apps take the playlist, and the guide as the address of an EPG.',
    homeAssistant:
      'Adds the receiver as a media player. With an MQTT broker in the settings, it also appears by itself, with more controls.',
    dreamDroid: 'Remote control, guide, timers and streams on Android. Leave the other fields as they are.',
  },
  hdhomerunOff: 'The receiver does not appear as an HDHomeRun yet.',
  switchOn: 'Switch on',
  qrCode: (label: string) => `QR code: ${label}`,
  local: (host: string) =>
    `You opened this page on the receiver’s own machine. On your network, its address is ${host}.`,
  onlyHere: 'These addresses work only on this machine, because it has no address on a network.',
  needsPorts:
    'This app needs the receiver’s own ports, which this address does not lead to. Open this page at the receiver’s HTTP address to see them.',
  secureApp: 'These ports are for HTTPS: switch on HTTPS (SSL) in the app, also for streams.',
  certificate:
    'If an app rejects the receiver’s certificate, open this page over HTTP and use the addresses that it then shows.',
  login:
    'Enter the user name and password of an account that may watch, and switch on the login for streams if the app offers it.',
  loginOfLists:
    'Playlist and guide need a login. Some apps ask for it; for others, put it into the address: http://USER:PASSWORD@… The addresses in the playlist work without a login for a limited time, so let the app update it daily. If an app cannot log in, allow watching without a login in the settings, under Network and access.',
};

export type Texts = typeof english;
export default english;
