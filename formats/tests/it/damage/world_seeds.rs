//! Small valid worlds: X3D in both encodings, and Gazebo's.

use super::Seed;
use super::xml_lapses::with_lapses;

pub fn xml() -> Vec<Seed> {
    const NODES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" "https://www.web3d.org/specifications/x3d-3.3.dtd">
<X3D version="3.3"><head><unit category="length" name="cm" conversionFactor="0.01"/></head><Scene>
  <Viewpoint description="front" position="0 0 9" orientation="0 1 0 0.5" fieldOfView="0.8"/>
  <OrthoViewpoint fieldOfView="-1 -1 1 1"/>
  <Transform DEF="T" translation="1 2 3" rotation="0 0 1 1.57" scale="2 1 1" center="1 0 0" scaleOrientation="0 1 0 1">
    <Shape DEF="S"><Appearance><Material diffuseColor="1 0.5 0"/></Appearance><Sphere DEF="B" radius="2"/></Shape></Transform>
  <Transform USE="T"/><Shape><Sphere USE="B"/></Shape>
  <Switch whichChoice="1"><Group/><Shape><Box size="1 2 3"/></Shape></Switch><LOD range="4"><Shape><Cone bottom="false"/></Shape></LOD>
  <Collision><Group containerField="proxy"/><Shape><Cylinder top="false" height="3"/></Shape></Collision>
  <Inline url='"b.x3d" "part.json#a"'/><Inline url="http://a/b.wrl"/>
  <Shape><Text string='"A" "o"' length="3 4" maxExtent="2"><FontStyle justify='"MIDDLE" "END"' size="2"/></Text></Shape>
</Scene></X3D>"#;
    const SETS: &str = r#"<X3D><Scene>
  <ProtoDeclare name="P"><ProtoInterface><field name="at" type="SFVec3f" accessType="inputOutput" value="0 0 1"/>
    <field name="g" type="SFNode" accessType="inputOutput"><Sphere/></field></ProtoInterface>
    <ProtoBody><Transform><IS><connect nodeField="translation" protoField="at"/></IS>
      <Shape><IS><connect nodeField="geometry" protoField="g"/></IS></Shape></Transform></ProtoBody></ProtoDeclare>
  <ProtoInstance name="P"><fieldValue name="at" value="1 2 3"/></ProtoInstance>
  <ProtoInstance DEF="Q" name="P"><fieldValue name="g"><Box/></fieldValue></ProtoInstance>
  <Shape><IndexedFaceSet coordIndex="0 1 2 3 -1 0 3 1 -1"><Coordinate DEF="C" point="0 0 0, 1 0 0, 1 1 0, 0 1 1"/></IndexedFaceSet></Shape>
  <Shape><IndexedTriangleStripSet index="0 1 2 3 -1"><Coordinate USE="C"/></IndexedTriangleStripSet></Shape>
  <Shape><TriangleFanSet fanCount="4" ccw="false"><Coordinate USE="C"/></TriangleFanSet></Shape>
  <Shape><QuadSet><Coordinate USE="C"/></QuadSet></Shape><Shape><IndexedLineSet coordIndex="0 1 2 -1"><Coordinate USE="C"/></IndexedLineSet></Shape>
  <Shape><LineSet vertexCount="2 2"><Coordinate USE="C"/></LineSet></Shape><Shape><PointSet><Coordinate USE="C"/></PointSet></Shape>
  <Shape><ElevationGrid xDimension="2" zDimension="3" xSpacing="2" height="0 1 2 3 4 5"/></Shape>
  <Shape><Extrusion spine="0 0 0 0 1 0 1 2 0" scale="1 1 0.5 2" orientation="0 1 0 0.5" crossSection="1 1 1 -1 -1 0 1 1"/></Shape>
</Scene></X3D>"#;
    vec![Seed::of(NODES), Seed::of(SETS), with_lapses(NODES)]
}

pub fn classic() -> Vec<Seed> {
    const NODES: &str = r#"#X3D V3.3 utf8
PROFILE Immersive COMPONENT Text:1 META "a" "b" UNIT length cm 0.01 # a comment
Viewpoint { description "front \\ \"" position 0 0 9 orientation 0 1 0 0.5 }
DEF T Transform { translation 1 2 3 rotation 0 0 1 1.57 scale 2 1 1 center 1 0 0 children [
  DEF S Shape { appearance Appearance { material Material { diffuseColor 1 0.5 0 } } geometry DEF B Sphere { radius 2 } } ] }
Group { children [ USE T, USE S ] } Shape { geometry USE B }
Switch { whichChoice 1 choice [ Group { } Shape { geometry Box { size 1 2 3 } } ] }
LOD { range [ 4 ] level Shape { geometry Cone { bottom FALSE } } }
Collision { proxy NULL children Shape { geometry Cylinder { top FALSE height 0x3 } } }
Inline { url [ "b.wrl" "part.json" ] }
Script { url "javascript:" field SFNode n USE T eventIn SFBool on } ROUTE a.b TO c.d IMPORT a.b AS c
Shape { geometry Text { string [ "A" "o" ] fontStyle FontStyle { justify [ "MIDDLE" "END" ] } } }
"#;
    const SETS: &str = r#"#VRML V2.0 utf8
PROTO P [ exposedField SFVec3f at 0 0 1 field SFNode g Sphere { } eventIn SFBool on ] {
  Transform { translation IS at children Shape { geometry IS g } } }
EXTERNPROTO E [ field SFBool x ] [ "e.wrl" ]
P { at 1 2 3 } DEF Q P { g Box { } } E { x TRUE }
Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 3 -1 0 3 1 ] coord DEF C Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 1 ] } } }
Shape { geometry IndexedTriangleFanSet { index [ 0 1 2 3 -1 ] coord USE C } }
Shape { geometry TriangleStripSet { stripCount 4 coord USE C } } Shape { geometry TriangleSet { coord USE C } }
Shape { geometry IndexedQuadSet { index [ 0 1 2 3 ] coord USE C } } Shape { geometry IndexedLineSet { coordIndex [ 0 1 2 -1 ] coord USE C } }
Shape { geometry ElevationGrid { xDimension 2 zDimension 3 xSpacing 2 height [ 0 1 2 3 4 5 ] } }
Shape { geometry Extrusion { spine [ 0 0 0 0 1 0 1 2 0 ] scale [ 1 1 0.5 2 ] orientation 0 1 0 0.5 crossSection [ 1 1 1 -1 -1 0 1 1 ] } }
"#;
    vec![Seed::of(NODES), Seed::of(SETS)]
}

pub fn sdf() -> Vec<Seed> {
    const WORLD: &str = r#"<sdf version="1.9"><world name="w">
  <frame name="f"><pose degrees="true">1 2 3 0 0 90</pose></frame>
  <include><name>a</name><uri>part.sdf</uri><pose relative_to="f">0 0 1 0 0 0</pose><placement_frame>l</placement_frame></include>
  <include><uri>model://part</uri></include><state world_name="w"/>
  <model name="m" placement_frame="g"><pose relative_to="a::l" rotation_format="quat_xyzw">0 0 0 0 0 1 1</pose>
    <include merge="true"><uri>part.sdf</uri></include><frame name="g" attached_to="j"/>
    <link name="k"><visual name="b"><geometry><box><size>1 2 3</size></box></geometry>
      <material><diffuse>1 0.5 0 1</diffuse></material></visual>
      <visual name="c"><pose relative_to="n::l">1 0 0 0 0 0</pose><geometry><cone><radius>1</radius><length>2</length></cone></geometry></visual>
      <visual name="p"><geometry><plane><normal>0 1 1</normal><size>2 3</size></plane></geometry></visual>
      <visual name="o"><geometry><polyline><point>0 0</point><point>4 0</point><point>0 4</point><height>2</height></polyline>
        <polyline><point>1 1</point><point>2 1</point><point>1 2</point><height>2</height></polyline></geometry></visual>
      <visual name="s"><geometry><mesh><uri>part.stl</uri><scale>1 2 -1</scale></mesh></geometry></visual>
      <visual name="h"><geometry><heightmap><uri>grid.png</uri><size>4 4 1</size></heightmap></geometry></visual></link>
    <joint name="j" type="fixed"><parent>l</parent><child>k</child></joint>
    <model name="n"><link name="l"><visual name="v"><geometry><capsule><radius>1</radius><length>2</length></capsule></geometry></visual></link></model>
  </model></world></sdf>"#;
    const SENSORS: &str = r#"<sdf version="1.6"><model name="m"><link name="l"><pose frame="">0 0 1 0 0 0</pose>
  <visual name="v"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual>
  <sensor name="s" type="ray"><ray><scan><horizontal><samples>9</samples><resolution>1</resolution><min_angle>-3.1416</min_angle>
    <max_angle>3.1416</max_angle></horizontal><vertical><samples>3</samples><min_angle>-0.2</min_angle><max_angle>0.4</max_angle></vertical></scan>
    <range><min>0.1</min><max>inf</max></range><noise><type>gaussian</type><stddev>0.1</stddev></noise></ray></sensor>
  <sensor name="c" type="depth"><camera><horizontal_fov>1.2</horizontal_fov><image><width>8</width><height>6</height></image>
    <clip><near>0.1</near><far>10</far></clip></camera></sensor></link></model></sdf>"#;
    vec![Seed::of(WORLD), Seed::of(SENSORS), with_lapses(WORLD)]
}
