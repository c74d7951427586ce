// Radyo Çınaraltı: talk radio.
#include "dvb/demo/guide_languages.h"

namespace receiverd::dvb::demo {

const std::string_view kGuideTurkish = R"guide(
l Sezon|Bölüm
= haber 21 0 n
t Haberler
a Günün haberleri, hava durumu ve yol durumu.
e Vapur seferleri|Kış tarifesiyle gece vapurları yeniden başlıyor.
e Zeytin hasadı|Üreticiler bu yıl bol ve kaliteli ürün bekliyor.
e Köprü|Taşköprü'deki onarım tamamlandı, yayalar yeniden geçebilecek.
e Kütüphane|Gezici kütüphane yüz yirmi köye ulaştı.
e Gökyüzü|Bu gece meteor yağmuru çıplak gözle izlenebilecek.
e Tren|Dağ hattında seferler iki katına çıkıyor.
= sabah 33 0 s
t Çay Demlendi
a Sabah sohbeti: gazeteler, telefonlar ve bol kahkaha.
c Sunan=Gülşen Akıncı, Özgür Tınaz
e Uykucular|Çalar saati olmayan bir kasabadan mektup var.
e Simit mi, poğaça mı?|Tartışma yine sonuçsuz.
e Komşunun horozu|Şikâyet hattında rekor gün.
e Yağmur planı|Islanmadan yapılacak on iki şey.
= tarih 93 0 s
t Zaman Treni
a Her gün bir yıl, her yıl bir hikâye.
c Anlatan=Prof. İlhan Değirmenci
e İlk telgraf|Üç kelime yetmişti.
e Büyük kar|Şehir kırk gün beyaz kaldı.
e Saat kulesi|Durduğu an hâlâ konuşuluyor.
e Kayıp harita|Bir denizcinin not defteri ve yanlış çizilmiş bir ada.
= doktor 93 0 s
t Doktorun Saati
a Dinleyicilerin sorularına uzman yanıtları.
c Sunan=Dr. Şule Gökçe
e Uyku|Kaç saat yeter?
e Sırt ağrısı|Sandalyenizi değiştirmeden önce dinleyin.
e Bahar yorgunluğu|Gerçek mi, bahane mi?
= mutfak A5 0 s
t Kısık Ateş
a Yemek tarifleri ve sofra hikâyeleri.
c Sunan=Güler Çağlayan
e Ekşili köfte|Anneannenin gizli ölçüsü: bir avuç.
e Ot kavurması|Dağdan sofraya.
e Balık çorbası|Limanda öğle vakti.
e Aşure|Kırk komşuya kırk kâse.
= tiyatro 71 0 s
t Arkası Yarın: Sisli İskele
a Her akşam yirmi dakikalık radyo tiyatrosu.
c Yazan=Nâzım Çelebi|Yöneten=Tülin Uğur|Oynayan=Ayşegül Öz, Cihan Işık
e Fener|Fenerci o gece defterine bir satır fazla yazar.
e Yabancı|Son vapurdan inen adamın bileti yoktur.
e Mektup|Zarfın içinde bir de anahtar vardır.
e Düğüm|Balıkçılar ağda ne buldu?
e Pusula|Kuzeyi göstermeyen bir pusula kimin işine yarar?
e Şafak|Sis kalkar, iskele boştur.
= spor 42 0 p
t Saha Kenarı
a Amatör ligden sonuçlar, söyleşiler ve haftanın golü.
= soylesi 24 0 s
t Çınarın Altında
a Bir konuk, iki bardak çay.
c Sunan=Müjgân Şahin
e Saat ustası|Zamanı tamir etmek mümkün mü?
e Yörük kadını|Göç yollarının hafızası.
e Deniz feneri bekçisi|Otuz yıl, tek başına.
e Halk ozanı|Sazını neden iki kez gömdü?
= muzik 63 0 p
t Türküler
a Yurdun dört yanından türküler.
= gece 60 0 p
t Gece Yolcuları
a Uykusuzlar için müzik ve mektuplar.
@ 0500 1234567 gece
@ 0600 1234567 haber
@ 0610 1234567 sabah
@ 0800 1234567 haber
@ 0815 1234567 tarih!
@ 0900 1234567 mutfak
@ 0945 1234567 muzik
@ 1000 1234567 haber
@ 1010 12345 doktor
@ 1010 67 soylesi!
@ 1100 1234567 soylesi!
@ 1200 1234567 haber
@ 1230 1234567 muzik
@ 1330 1234567 tiyatro!
@ 1400 1234567 tarih
@ 1500 1234567 haber
@ 1510 1234567 sabah!
@ 1700 1234567 mutfak!
@ 1745 1234567 spor
@ 1800 1234567 haber
@ 1830 1234567 tiyatro
@ 1850 1234567 muzik
@ 2000 1234567 soylesi
@ 2100 1234567 haber
@ 2110 1234567 doktor!
@ 2200 1234567 tarih!
@ 2300 1234567 haber
@ 2315 1234567 gece
@ 2600 1234567 tiyatro!
@ 2620 1234567 gece
)guide";

}  // namespace receiverd::dvb::demo
