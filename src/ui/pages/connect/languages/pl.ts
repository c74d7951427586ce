/** The texts of the page that connects apps, in Polish. */
import type { Texts } from './en.ts';

const polish: Texts = {
  apps: 'Aplikacje',
  browser: 'Telefon lub tablet',
  channels: 'Kanały',
  allChannels: 'Wszystkie kanały',
  values: {
    page: 'Adres',
    host: 'Host',
    webPort: 'Port WWW',
    streamPort: 'Port strumieni',
    playlist: 'Playlista (M3U)',
    guide: 'Program TV (XMLTV)',
    tuner: 'Adres tunera',
  },
  about: {
    browser:
      'Otwórz ten adres na innym urządzeniu w sieci albo zeskanuj go aparatem. Wiele przeglądarek może dodać stronę do ekranu głównego.',
    kodi: 'Zainstaluj dodatek Enigma2 Client, wpisz te wartości i uruchom Kodi ponownie. Kanały, program, timery i nagrania pojawią się w TV i Radiu.',
    vlc: 'Otwiera kanały jako playlistę. mpv i większość innych odtwarzaczy przyjmuje ten sam adres.',
    jellyfin: 'Dodaj playlistę jako tuner, a potem program TV. Jellyfin łączy je po identyfikatorach kanałów.',
    plex: 'Plex znajduje odbiornik jako tuner HDHomeRun. Jeśli nie, wpisz tam ten adres. Jako program TV wybierz XMLTV i wpisz drugi adres.',
    iptv: 'TiviMate i inne aplikacje IPTV przyjmują playlistę, a program TV jako adres EPG.',
    homeAssistant:
      'Dodaje odbiornik jako odtwarzacz multimediów. Z brokerem MQTT w ustawieniach pojawia się też sam, z większą liczbą elementów sterujących.',
    dreamDroid: 'Pilot, program, timery i strumienie na Androidzie. Pozostałe pola zostaw bez zmian.',
  },
  hdhomerunOff: 'Odbiornik nie jest jeszcze widoczny jako HDHomeRun.',
  switchOn: 'Włącz',
  qrCode: (label: string) => `Kod QR: ${label}`,
  local: (host: string) =>
    `Ta strona jest otwarta na urządzeniu, na którym działa odbiornik. Jego adres w sieci to ${host}.`,
  onlyHere: 'Te adresy działają tylko na tym urządzeniu, ponieważ nie ma ono adresu w sieci.',
  needsPorts:
    'Ta aplikacja potrzebuje portów samego odbiornika, do których ten adres nie prowadzi. Otwórz tę stronę pod adresem HTTP odbiornika, aby je zobaczyć.',
  secureApp: 'To porty HTTPS: włącz w aplikacji HTTPS (SSL), także dla strumieni.',
  certificate:
    'Jeśli aplikacja odrzuca certyfikat odbiornika, otwórz tę stronę przez HTTP i użyj pokazanych wtedy adresów.',
  login:
    'Podaj nazwę użytkownika i hasło konta, które może oglądać telewizję, i włącz logowanie dla strumieni, jeśli aplikacja to oferuje.',
  loginOfLists:
    'Playlista i program TV wymagają logowania. Niektóre aplikacje o nie pytają; w innych wpisz je w adresie: http://UŻYTKOWNIK:HASŁO@… Adresy w playliście działają bez logowania przez ograniczony czas, więc pozwól aplikacji aktualizować ją codziennie. Jeśli aplikacja nie umie się zalogować, zezwól na oglądanie bez logowania w ustawieniach, w grupie Sieć i dostęp.',
};

export default polish;
