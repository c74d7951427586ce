/** The texts of the page that connects apps, in Dutch. */
import type { Texts } from './en.ts';

const dutch: Texts = {
  apps: 'Apps',
  browser: 'Telefoon of tablet',
  channels: 'Zenders',
  allChannels: 'Alle zenders',
  values: {
    page: 'Adres',
    host: 'Host',
    webPort: 'Webpoort',
    streamPort: 'Streamingpoort',
    playlist: 'Afspeellijst (M3U)',
    guide: 'Tv-gids (XMLTV)',
    tuner: 'Tuneradres',
  },
  about: {
    browser:
      'Open dit adres op een ander apparaat in je netwerk, of scan het met de camera. Veel browsers kunnen de pagina aan het beginscherm toevoegen.',
    kodi: 'Installeer de add-on Enigma2 Client, vul deze waarden in en herstart Kodi. Zenders, gids, timers en opnames staan daarna onder TV en Radio.',
    vlc: 'Opent de zenders als afspeellijst. mpv en de meeste andere spelers accepteren hetzelfde adres.',
    jellyfin:
      'Voeg de afspeellijst toe als tuner, en daarna de tv-gids. Jellyfin koppelt ze aan de hand van de id’s van de zenders.',
    plex: 'Plex vindt de ontvanger als HDHomeRun-tuner. Zo niet, vul daar dit adres in. Kies voor de gids XMLTV en vul het tweede adres in.',
    iptv: 'TiviMate en andere IPTV-apps accepteren de afspeellijst, en de tv-gids als EPG-adres.',
    homeAssistant:
      'Voegt de ontvanger toe als mediaspeler. Met een MQTT-broker in de instellingen verschijnt hij ook vanzelf, met meer bediening.',
    dreamDroid: 'Afstandsbediening, gids, timers en streams op Android. Laat de andere velden zoals ze zijn.',
  },
  hdhomerunOff: 'De ontvanger verschijnt nog niet als HDHomeRun.',
  switchOn: 'Inschakelen',
  qrCode: (label: string) => `QR-code: ${label}`,
  local: (host: string) =>
    `Je hebt deze pagina geopend op het apparaat van de ontvanger. In je netwerk is het adres ${host}.`,
  onlyHere: 'Deze adressen werken alleen op dit apparaat, omdat het geen adres in een netwerk heeft.',
  needsPorts:
    'Deze app heeft de eigen poorten van de ontvanger nodig, en daar leidt dit adres niet naartoe. Open deze pagina op het HTTP-adres van de ontvanger om ze te zien.',
  secureApp: 'Deze poorten zijn voor HTTPS: zet HTTPS (SSL) aan in de app, ook voor streams.',
  certificate:
    'Als een app het certificaat van de ontvanger weigert, open deze pagina dan via HTTP en gebruik de adressen die je daar ziet.',
  login:
    'Vul de gebruikersnaam en het wachtwoord in van een account dat mag kijken, en zet inloggen voor streams aan als de app dat biedt.',
  loginOfLists:
    'Voor de afspeellijst en de tv-gids moet je inloggen. Sommige apps vragen erom; zet het bij andere in het adres: http://GEBRUIKER:WACHTWOORD@… De adressen in de afspeellijst werken beperkte tijd zonder inloggen, dus laat de app de lijst dagelijks bijwerken. Kan een app niet inloggen, sta kijken zonder inloggen dan toe in de instellingen, onder Netwerk en toegang.',
};

export default dutch;
