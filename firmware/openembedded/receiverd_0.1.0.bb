# Copy this file to recipes-multimedia/receiverd/ of a layer, and the archive that `npm run firmware` makes to files/ beside
# it. docs/firmware.md explains both.
SUMMARY = "Digital-TV receiver as an HTTP service"
DESCRIPTION = "Services, programme guide, streams, timers, recordings and timeshift over the Enigma2 / OpenWebif interface"
SECTION = "multimedia"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=45683f876f952c93c7a68c59cda8a0c6"

SRC_URI = "file://receiverd-${PV}-firmware.tar.gz"
S = "${WORKDIR}/receiverd-${PV}"

inherit cmake systemd

PACKAGECONFIG ??= "demo ui"
PACKAGECONFIG[demo] = "-DRECEIVERD_DEMO=ON,-DRECEIVERD_DEMO=OFF"
PACKAGECONFIG[ui] = "-DRECEIVERD_UI=ON,-DRECEIVERD_UI=OFF"

# Node.js 20.19 or newer.
RDEPENDS:${PN} = "nodejs"

SYSTEMD_SERVICE:${PN} = "receiverd.service"
CONFFILES:${PN} = "${sysconfdir}/receiverd.yaml"

do_install:append() {
    install -D -m 0644 ${S}/firmware/receiverd.yaml ${D}${sysconfdir}/receiverd.yaml
    install -d ${D}${systemd_system_unitdir}
    sed 's,/opt/,${libdir}/,' ${S}/docs/receiverd.service > ${D}${systemd_system_unitdir}/receiverd.service
}

FILES:${PN} += "${libdir}/receiverd"
# The linker strips the addon.
INSANE_SKIP:${PN} += "already-stripped"
